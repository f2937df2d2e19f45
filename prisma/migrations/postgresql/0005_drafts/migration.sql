-- Messages that are being written, and what has been written of them so far: a row for each append.

CREATE TABLE "drafts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "branchId" TEXT COLLATE "C" NOT NULL,
    "parentId" TEXT COLLATE "C",
    "onConflict" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "metadata" TEXT,
    "idleTimeout" INTEGER NOT NULL,
    "startedBy" TEXT COLLATE "C" NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "length" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "stoppedBy" TEXT COLLATE "C",
    "endedAt" BIGINT,
    "messageId" TEXT COLLATE "C",
    CONSTRAINT "drafts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "drafts_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "drafts_chatId_idx" ON "drafts"("chatId");
CREATE INDEX "drafts_endedAt_updatedAt_idx" ON "drafts"("endedAt", "updatedAt");

CREATE TABLE "draft_chunks" (
    "draftId" TEXT COLLATE "C" NOT NULL,
    "endOffset" INTEGER NOT NULL,
    "startOffset" INTEGER NOT NULL,
    "chunks" TEXT NOT NULL,
    CONSTRAINT "draft_chunks_pkey" PRIMARY KEY ("draftId", "endOffset"),
    CONSTRAINT "draft_chunks_draftId_fkey" FOREIGN KEY ("draftId") REFERENCES "drafts" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
