-- Content hashes and token usage: see docs/graphs.md. Null until computed; the index finds the messages that lack them.

ALTER TABLE "messages" ADD COLUMN "contentHash" TEXT;
ALTER TABLE "messages" ADD COLUMN "usage" TEXT;
ALTER TABLE "chats" ADD COLUMN "usage" TEXT;

CREATE INDEX "messages_without_hash" ON "messages"("chatId", "seq") WHERE "contentHash" IS NULL;
