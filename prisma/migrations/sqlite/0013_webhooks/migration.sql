-- The outbox of webhooks: see docs/webhooks.md. Without references to chats: the deletion of a chat is an event, too.

CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "webhook" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "chatId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "userId" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "ids" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "dueAt" BIGINT NOT NULL,
    "lastAttemptAt" BIGINT,
    "lastStatus" INTEGER,
    "lastError" TEXT
);

CREATE INDEX "webhook_deliveries_webhook_state_dueAt_idx" ON "webhook_deliveries"("webhook", "state", "dueAt");
CREATE INDEX "webhook_deliveries_state_id_idx" ON "webhook_deliveries"("state", "id");
