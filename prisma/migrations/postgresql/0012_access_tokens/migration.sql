-- Access tokens: see docs/access-tokens.md.

CREATE TABLE "access_tokens" (
    "id" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "scopes" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C",
    "tokenHash" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "lastUsedAt" BIGINT,
    "expiresAt" BIGINT,
    CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "access_tokens_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "access_tokens_tokenHash_key" ON "access_tokens"("tokenHash");
CREATE INDEX "access_tokens_userId_idx" ON "access_tokens"("userId");
CREATE INDEX "access_tokens_chatId_idx" ON "access_tokens"("chatId");
