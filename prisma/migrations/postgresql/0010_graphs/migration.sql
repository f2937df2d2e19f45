-- The token usage of a chat: see docs/graphs.md. First, because running servers lock chats before messages.

ALTER TABLE "chats" ADD COLUMN "usage" TEXT;

-- Earlier messages that a message draws on besides its parent. The CHECK makes cycles impossible. Deferred, because
-- PostgreSQL checks the first deleted message before it removes the sources of the last one.

CREATE TABLE "message_sources" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "sourceSeq" INTEGER NOT NULL,
    CONSTRAINT "message_sources_pkey" PRIMARY KEY ("chatId", "seq", "position"),
    CONSTRAINT "message_sources_chatId_seq_fkey" FOREIGN KEY ("chatId", "seq") REFERENCES "messages" ("chatId", "seq") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "message_sources_chatId_sourceSeq_fkey" FOREIGN KEY ("chatId", "sourceSeq") REFERENCES "messages" ("chatId", "seq") ON DELETE NO ACTION ON UPDATE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT "message_sources_earlier" CHECK ("sourceSeq" < "seq")
);

CREATE UNIQUE INDEX "message_sources_chatId_sourceSeq_seq_key" ON "message_sources"("chatId", "sourceSeq", "seq");

-- Content hashes and token usage of paths: see docs/graphs.md. Null until computed; the index finds the messages that lack them.

ALTER TABLE "messages" ADD COLUMN "contentHash" TEXT COLLATE "C";
ALTER TABLE "messages" ADD COLUMN "usage" TEXT;

CREATE INDEX "messages_without_hash" ON "messages"("chatId", "seq") WHERE "contentHash" IS NULL;

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

-- The few messages of type summary in each chat, for Branch.context.

CREATE INDEX "messages_summaries" ON "messages"("chatId", "seq") WHERE "type" = 'summary';

-- The users that created branches; null for older ones.

ALTER TABLE "branches" ADD COLUMN "createdBy" TEXT COLLATE "C";

-- Sources that a fork did not copy, as their content hashes.

CREATE TABLE "message_source_hashes" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "message_source_hashes_pkey" PRIMARY KEY ("chatId", "seq", "position"),
    CONSTRAINT "message_source_hashes_chatId_seq_fkey" FOREIGN KEY ("chatId", "seq") REFERENCES "messages" ("chatId", "seq") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Users that may access the chat of another one: see docs/members.md.

CREATE TABLE "chat_members" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "role" TEXT COLLATE "C" NOT NULL,
    "addedAt" BIGINT NOT NULL,
    "addedBy" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "chat_members_pkey" PRIMARY KEY ("chatId", "userId"),
    CONSTRAINT "chat_members_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "chat_members_userId_chatId_idx" ON "chat_members"("userId", "chatId");

-- Links to a path: see docs/shares.md. They go with its last message, so that servers of older versions can delete chats.

CREATE TABLE "shares" (
    "id" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "messageId" TEXT COLLATE "C" NOT NULL,
    "tokenHash" TEXT COLLATE "C" NOT NULL,
    "title" TEXT,
    "contentHash" TEXT COLLATE "C" NOT NULL,
    "hiddenDepths" TEXT,
    "includeReasoning" BOOLEAN NOT NULL,
    "includeTools" BOOLEAN NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT,
    CONSTRAINT "shares_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "shares_chatId_messageId_fkey" FOREIGN KEY ("chatId", "messageId") REFERENCES "messages" ("chatId", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "shares_tokenHash_key" ON "shares"("tokenHash");
CREATE INDEX "shares_chatId_messageId_idx" ON "shares"("chatId", "messageId");

-- The origins of forked chats.

CREATE TABLE "chat_forks" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "fromChatId" TEXT COLLATE "C",
    "fromMessageId" TEXT COLLATE "C",
    CONSTRAINT "chat_forks_pkey" PRIMARY KEY ("chatId"),
    CONSTRAINT "chat_forks_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
