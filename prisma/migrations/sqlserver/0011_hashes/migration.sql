-- Content hashes and token usage: see docs/graphs.md. Null until computed; the index finds the messages that lack them.

ALTER TABLE [dbo].[messages] ADD [contentHash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL, [usage] NVARCHAR(MAX) NULL;
ALTER TABLE [dbo].[chats] ADD [usage] NVARCHAR(MAX) NULL;

-- A batch is compiled before it runs, when the column does not exist yet: hence EXEC.
EXEC (N'CREATE NONCLUSTERED INDEX [messages_without_hash] ON [dbo].[messages]([chatId], [seq]) WHERE [contentHash] IS NULL');
