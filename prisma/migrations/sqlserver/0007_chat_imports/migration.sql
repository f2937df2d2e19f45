-- Imports that take more than one transaction (docs/adr/0020-importing-in-steps.md).

CREATE TABLE [dbo].[chat_imports] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [holder] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [expiresAt] BIGINT NOT NULL,
    [afterSeq] INT NULL,
    CONSTRAINT [chat_imports_pkey] PRIMARY KEY CLUSTERED ([chatId])
);

ALTER TABLE [dbo].[chat_imports] ADD CONSTRAINT [chat_imports_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
