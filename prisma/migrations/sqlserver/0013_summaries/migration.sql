-- The few messages of type summary in each chat, for Branch.context.

CREATE NONCLUSTERED INDEX [messages_summaries] ON [dbo].[messages]([chatId], [seq]) WHERE [type] = N'summary';
