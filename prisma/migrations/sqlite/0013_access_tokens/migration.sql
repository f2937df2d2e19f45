-- Access tokens: see docs/access-tokens.md.

CREATE TABLE "access_tokens" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "chatId" TEXT,
    "tokenHash" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "lastUsedAt" BIGINT,
    "expiresAt" BIGINT,
    CONSTRAINT "access_tokens_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "access_tokens_tokenHash_key" ON "access_tokens"("tokenHash");
CREATE INDEX "access_tokens_userId_idx" ON "access_tokens"("userId");
CREATE INDEX "access_tokens_chatId_idx" ON "access_tokens"("chatId");
