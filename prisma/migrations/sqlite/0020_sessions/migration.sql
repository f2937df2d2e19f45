-- Sessions of pages: see docs/access/sessions.md.

CREATE TABLE "page_sessions" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "accessTokenId" TEXT,
    "secretHash" TEXT NOT NULL,
    "sealedToken" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL
);

CREATE UNIQUE INDEX "page_sessions_secretHash_key" ON "page_sessions"("secretHash");
CREATE INDEX "page_sessions_userId_idx" ON "page_sessions"("userId");
CREATE INDEX "page_sessions_expiresAt_idx" ON "page_sessions"("expiresAt");
