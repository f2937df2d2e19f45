// The page asks its own server, which passes on what is for Parley: no other origin has to be allowed there.
const target = process.env.PARLEY_URL ?? 'http://127.0.0.1:4000';

export default {
  server: { proxy: { '/graphql': { target, ws: true } } },
};
