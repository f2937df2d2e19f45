-- Deleted chats that can be restored: see docs/deletion.md. They are hidden like unfinished imports, so that servers of an
-- older version neither show nor remove them before [expiresAt].

ALTER TABLE [dbo].[chat_imports] ADD [deletedAt] BIGINT NULL;

-- A batch is compiled before it runs, when the column does not exist yet: hence EXEC.
EXEC (N'CREATE NONCLUSTERED INDEX [chat_imports_deleted] ON [dbo].[chat_imports]([userId], [deletedAt], [chatId]) WHERE [deletedAt] IS NOT NULL');
EXEC (N'CREATE NONCLUSTERED INDEX [chat_imports_due] ON [dbo].[chat_imports]([expiresAt]) WHERE [deletedAt] IS NOT NULL');
