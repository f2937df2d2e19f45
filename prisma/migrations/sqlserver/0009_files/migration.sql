-- Files of messages: see docs/files.md.

CREATE TABLE [dbo].[files] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [mediaType] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [size] BIGINT NOT NULL,
    [storageKey] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [usedAt] BIGINT NOT NULL,
    CONSTRAINT [files_pkey] PRIMARY KEY CLUSTERED ([id])
);

CREATE TABLE [dbo].[message_files] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [messageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [position] INT NOT NULL,
    [fileId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    CONSTRAINT [message_files_pkey] PRIMARY KEY CLUSTERED ([messageId], [position])
);

CREATE NONCLUSTERED INDEX [message_files_chatId_messageId_idx] ON [dbo].[message_files]([chatId], [messageId]);
CREATE NONCLUSTERED INDEX [message_files_fileId_chatId_idx] ON [dbo].[message_files]([fileId], [chatId]);
ALTER TABLE [dbo].[message_files] ADD CONSTRAINT [message_files_chatId_messageId_fkey] FOREIGN KEY ([chatId], [messageId]) REFERENCES [dbo].[messages]([chatId], [id]) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE [dbo].[message_files] ADD CONSTRAINT [message_files_fileId_fkey] FOREIGN KEY ([fileId]) REFERENCES [dbo].[files]([id]) ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE TABLE [dbo].[user_files] (
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [fileId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [usedAt] BIGINT NOT NULL,
    CONSTRAINT [user_files_userId_fileId_key] UNIQUE NONCLUSTERED ([userId], [fileId])
);

CREATE NONCLUSTERED INDEX [user_files_fileId_idx] ON [dbo].[user_files]([fileId]);
ALTER TABLE [dbo].[user_files] ADD CONSTRAINT [user_files_fileId_fkey] FOREIGN KEY ([fileId]) REFERENCES [dbo].[files]([id]) ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE TABLE [dbo].[file_contents] (
    [storageKey] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [content] VARCHAR(MAX) NOT NULL,
    CONSTRAINT [file_contents_pkey] PRIMARY KEY CLUSTERED ([storageKey])
);

CREATE TABLE [dbo].[file_removals] (
    [storageKey] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [removeAfter] BIGINT NOT NULL,
    CONSTRAINT [file_removals_pkey] PRIMARY KEY CLUSTERED ([storageKey])
);

CREATE NONCLUSTERED INDEX [file_removals_removeAfter_idx] ON [dbo].[file_removals]([removeAfter]);
