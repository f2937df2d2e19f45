-- The outbox of webhooks: see docs/webhooks.md. Without references to chats: the deletion of a chat is an event, too.

CREATE TABLE "webhook_deliveries" (
    "id" TEXT COLLATE "C" NOT NULL,
    "webhook" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "ids" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "state" TEXT COLLATE "C" NOT NULL,
    "attempts" INTEGER NOT NULL,
    "dueAt" BIGINT NOT NULL,
    "lastAttemptAt" BIGINT,
    "lastStatus" INTEGER,
    "lastError" TEXT,
    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "webhook_deliveries_webhook_state_dueAt_idx" ON "webhook_deliveries"("webhook", "state", "dueAt");
CREATE INDEX "webhook_deliveries_state_id_idx" ON "webhook_deliveries"("state", "id");
