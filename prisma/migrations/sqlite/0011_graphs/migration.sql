-- The token usage of a chat: see docs/graphs.md. First, because running servers lock chats before messages.

ALTER TABLE "chats" ADD COLUMN "usage" TEXT;

-- Earlier messages that a message draws on besides its parent. The CHECK makes cycles impossible.

CREATE TABLE "message_sources" (
    "chatId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "sourceSeq" INTEGER NOT NULL,
    PRIMARY KEY ("chatId", "seq", "position"),
    CONSTRAINT "message_sources_chatId_seq_fkey" FOREIGN KEY ("chatId", "seq") REFERENCES "messages" ("chatId", "seq") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "message_sources_chatId_sourceSeq_fkey" FOREIGN KEY ("chatId", "sourceSeq") REFERENCES "messages" ("chatId", "seq") ON DELETE NO ACTION ON UPDATE NO ACTION,
    CONSTRAINT "message_sources_earlier" CHECK ("sourceSeq" < "seq")
);

CREATE UNIQUE INDEX "message_sources_chatId_sourceSeq_seq_key" ON "message_sources"("chatId", "sourceSeq", "seq");

-- Content hashes and token usage of paths: see docs/graphs.md. Null until computed; the index finds the messages that lack them.

ALTER TABLE "messages" ADD COLUMN "contentHash" TEXT;
ALTER TABLE "messages" ADD COLUMN "usage" TEXT;

CREATE INDEX "messages_without_hash" ON "messages"("chatId", "seq") WHERE "contentHash" IS NULL;

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

-- The few messages of type summary in each chat, for Branch.context.

CREATE INDEX "messages_summaries" ON "messages"("chatId", "seq") WHERE "type" = 'summary';
