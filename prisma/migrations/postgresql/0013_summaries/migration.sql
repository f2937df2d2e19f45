-- The few messages of type summary in each chat, for Branch.context.

CREATE INDEX "messages_summaries" ON "messages"("chatId", "seq") WHERE "type" = 'summary';
