-- What is left of a chat that was deleted: its log went with it, and whoever follows it is told how it ended.

CREATE TABLE "deleted_chats" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "actorId" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL
);

CREATE INDEX "deleted_chats_createdAt_idx" ON "deleted_chats"("createdAt");
