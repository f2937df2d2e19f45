-- The conversation graph: chats, immutable messages, branches and checkpoints that point at them, and the log.
-- Ids and names are compared byte by byte (COLLATE "C"), as on the other databases, whatever the database's locale is.

CREATE TABLE "chats" (
    "id" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "title" TEXT,
    "metadata" JSONB NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    CONSTRAINT "chats_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "chats_updatedAt_id_idx" ON "chats"("updatedAt", "id");
CREATE INDEX "chats_userId_updatedAt_id_idx" ON "chats"("userId", "updatedAt", "id");
-- For the filter on metadata.
CREATE INDEX "chats_metadata_idx" ON "chats" USING GIN ("metadata" jsonb_path_ops);

CREATE TABLE "messages" (
    "id" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "parentId" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "depth" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "siblingIndex" INTEGER NOT NULL,
    "jumpId" TEXT COLLATE "C" NOT NULL,
    "preview" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    CONSTRAINT "messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "messages_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "messages_chatId_id_key" ON "messages"("chatId", "id");
ALTER TABLE "messages" ADD CONSTRAINT "messages_chatId_parentId_fkey" FOREIGN KEY ("chatId", "parentId") REFERENCES "messages" ("chatId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
CREATE UNIQUE INDEX "messages_chatId_seq_key" ON "messages"("chatId", "seq");
CREATE UNIQUE INDEX "messages_chatId_parentId_siblingIndex_key" ON "messages"("chatId", "parentId", "siblingIndex");
-- Prisma cannot say this one: the index above takes all NULLs for different, so it does not hold for roots.
CREATE UNIQUE INDEX "messages_roots_chatId_siblingIndex" ON "messages"("chatId", "siblingIndex") WHERE "parentId" IS NULL;

CREATE TABLE "branches" (
    "id" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "headMessageId" TEXT COLLATE "C",
    "isActive" BOOLEAN NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "seq" INTEGER NOT NULL,
    CONSTRAINT "branches_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "branches_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "branches_chatId_headMessageId_fkey" FOREIGN KEY ("chatId", "headMessageId") REFERENCES "messages" ("chatId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE UNIQUE INDEX "branches_chatId_name_key" ON "branches"("chatId", "name");
CREATE UNIQUE INDEX "branches_chatId_seq_key" ON "branches"("chatId", "seq");
CREATE INDEX "branches_chatId_headMessageId_idx" ON "branches"("chatId", "headMessageId");
-- Prisma cannot say this one: at most one active branch in a chat. The rules never leave a chat without one.
CREATE UNIQUE INDEX "branches_one_active_per_chat" ON "branches"("chatId") WHERE "isActive";

CREATE TABLE "checkpoints" (
    "id" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "messageId" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "seq" INTEGER NOT NULL,
    CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "checkpoints_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "checkpoints_chatId_messageId_fkey" FOREIGN KEY ("chatId", "messageId") REFERENCES "messages" ("chatId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE UNIQUE INDEX "checkpoints_chatId_name_key" ON "checkpoints"("chatId", "name");
CREATE UNIQUE INDEX "checkpoints_chatId_seq_key" ON "checkpoints"("chatId", "seq");
CREATE INDEX "checkpoints_chatId_messageId_idx" ON "checkpoints"("chatId", "messageId");

CREATE TABLE "chat_events" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "payload" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    CONSTRAINT "chat_events_pkey" PRIMARY KEY ("chatId", "seq"),
    CONSTRAINT "chat_events_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
