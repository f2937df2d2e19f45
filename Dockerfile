# Parley for serving others. It wants a database, and to know how tokens are checked: without AUTH_JWKS_URL or
# AUTH_JWT_SECRET it refuses to listen anywhere but on a loopback address, and ends. See docs/operations.md.
#
# Node 22, as CI runs the tests on it. To build the same twice, name the images by their digests.
ARG NODE=22-bookworm

# The whole image has what it takes to compile better-sqlite3, where there is no binary to download. In a stage of its own,
# so that a change of the code does not install the packages anew.
FROM node:${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/context/package.json packages/context/
COPY packages/client/package.json packages/client/
COPY explorer/package.json explorer/
RUN npm ci

FROM packages AS build
COPY packages/context/src packages/context/src
COPY packages/client/src packages/client/src
# explorer/tsconfig.json extends it.
COPY tsconfig.json ./
COPY explorer explorer
COPY prisma prisma
COPY scripts scripts
COPY src src
RUN npm run build

# With --omit=optional, it is 120 MB smaller, and serves neither SQL Server nor collectors of traces. What need not come
# along is what better-sqlite3 is compiled from.
FROM packages AS dependencies
RUN npm prune --omit=dev && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src

FROM node:${NODE}-slim
# SQLite sorts large results in a file of SQLITE_TMPDIR. Imports are received in TMPDIR: mount a volume there.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DEMO=off SQLITE_TMPDIR=/app/data TMPDIR=/tmp
WORKDIR /app
# The place of the SQLite file: the server writes nowhere else, but to TMPDIR.
RUN mkdir data && chown 1000:1000 data
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/packages/context/dist packages/context/dist
COPY --from=build /app/dist dist
COPY --from=build /app/explorer/dist explorer/dist
COPY packages/context/package.json packages/context/
COPY package.json ./
COPY prisma/migrations prisma/migrations
# By its number: Kubernetes cannot tell from a name whether it is root's.
USER 1000
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=7s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
