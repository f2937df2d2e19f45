-- What is left of a chat that was deleted: its log went with it, and whoever follows it is told how it ended.

CREATE TABLE "deleted_chats" (
    "id" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    CONSTRAINT "deleted_chats_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "deleted_chats_createdAt_idx" ON "deleted_chats"("createdAt");
