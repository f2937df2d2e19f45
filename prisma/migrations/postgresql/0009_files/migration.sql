-- Files of messages: see docs/files.md.

CREATE TABLE "files" (
    "id" TEXT COLLATE "C" NOT NULL,
    "mediaType" TEXT COLLATE "C" NOT NULL,
    "size" BIGINT NOT NULL,
    "storageKey" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "usedAt" BIGINT NOT NULL,
    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "message_files" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "messageId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "fileId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C",
    CONSTRAINT "message_files_pkey" PRIMARY KEY ("messageId", "position"),
    CONSTRAINT "message_files_chatId_messageId_fkey" FOREIGN KEY ("chatId", "messageId") REFERENCES "messages" ("chatId", "id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "message_files_fileId_fkey" FOREIGN KEY ("fileId") REFERENCES "files" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE INDEX "message_files_chatId_messageId_idx" ON "message_files"("chatId", "messageId");
CREATE INDEX "message_files_fileId_chatId_idx" ON "message_files"("fileId", "chatId");

CREATE TABLE "user_files" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "fileId" TEXT COLLATE "C" NOT NULL,
    "usedAt" BIGINT NOT NULL,
    CONSTRAINT "user_files_fileId_fkey" FOREIGN KEY ("fileId") REFERENCES "files" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE UNIQUE INDEX "user_files_userId_fileId_key" ON "user_files"("userId", "fileId");
CREATE INDEX "user_files_fileId_idx" ON "user_files"("fileId");

CREATE TABLE "file_contents" (
    "storageKey" TEXT COLLATE "C" NOT NULL,
    "content" TEXT NOT NULL,
    CONSTRAINT "file_contents_pkey" PRIMARY KEY ("storageKey")
);

CREATE TABLE "file_removals" (
    "storageKey" TEXT COLLATE "C" NOT NULL,
    "removeAfter" BIGINT NOT NULL,
    CONSTRAINT "file_removals_pkey" PRIMARY KEY ("storageKey")
);

CREATE INDEX "file_removals_removeAfter_idx" ON "file_removals"("removeAfter");
