-- Messages that are being written, and what has been written of them so far: a row for each append.

CREATE TABLE "drafts" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "chatId" TEXT NOT NULL,
    "branchId" TEXT NOT NULL,
    "parentId" TEXT,
    "onConflict" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "metadata" TEXT,
    "idleTimeout" INTEGER NOT NULL,
    "startedBy" TEXT NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "length" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "stoppedBy" TEXT,
    "endedAt" BIGINT,
    "messageId" TEXT,
    CONSTRAINT "drafts_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "drafts_chatId_idx" ON "drafts"("chatId");
CREATE INDEX "drafts_endedAt_updatedAt_idx" ON "drafts"("endedAt", "updatedAt");

CREATE TABLE "draft_chunks" (
    "draftId" TEXT NOT NULL,
    "endOffset" INTEGER NOT NULL,
    "startOffset" INTEGER NOT NULL,
    "chunks" TEXT NOT NULL,
    PRIMARY KEY ("draftId", "endOffset"),
    CONSTRAINT "draft_chunks_draftId_fkey" FOREIGN KEY ("draftId") REFERENCES "drafts" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
