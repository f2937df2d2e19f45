-- The chat in rows of chunks, as on PostgreSQL. Servers of an older version insert chunks without it: '' until the trigger
-- sets it.

ALTER TABLE [dbo].[draft_chunks] ADD [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL
    CONSTRAINT [draft_chunks_chatId_df] DEFAULT N'';

-- A batch is compiled before it runs, when the column does not exist yet: hence EXEC.
EXEC (N'UPDATE c SET [chatId] = d.[chatId] FROM [dbo].[draft_chunks] c JOIN [dbo].[drafts] d ON d.[id] = c.[draftId]');
EXEC (N'CREATE TRIGGER [dbo].[draft_chunks_set_chat] ON [dbo].[draft_chunks] AFTER INSERT AS
BEGIN
    SET NOCOUNT ON;
    IF NOT EXISTS (SELECT 1 FROM inserted WHERE [chatId] = N'''') RETURN;
    UPDATE c SET [chatId] = d.[chatId] FROM [dbo].[draft_chunks] c
    JOIN inserted i ON i.[draftId] = c.[draftId] AND i.[endOffset] = c.[endOffset]
    JOIN [dbo].[drafts] d ON d.[id] = c.[draftId]
    WHERE i.[chatId] = N'''';
END');
