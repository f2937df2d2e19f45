-- Sessions of pages: see docs/access/sessions.md.

CREATE TABLE "page_sessions" (
    "id" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "accessTokenId" TEXT COLLATE "C",
    "secretHash" TEXT COLLATE "C" NOT NULL,
    "sealedToken" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL,
    CONSTRAINT "page_sessions_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "page_sessions_secretHash_key" ON "page_sessions"("secretHash");
CREATE INDEX "page_sessions_userId_idx" ON "page_sessions"("userId");
CREATE INDEX "page_sessions_expiresAt_idx" ON "page_sessions"("expiresAt");
