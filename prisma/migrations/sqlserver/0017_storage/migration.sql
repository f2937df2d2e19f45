-- The bytes of messages by chat, counted later, and the storage quotas of users: see docs/limits.md.

CREATE TABLE [dbo].[chat_storage] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [version] INT NOT NULL,
    [seq] INT NOT NULL,
    [bytes] BIGINT NOT NULL,
    CONSTRAINT [chat_storage_pkey] PRIMARY KEY CLUSTERED ([chatId])
);

ALTER TABLE [dbo].[chat_storage] ADD CONSTRAINT [chat_storage_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE [dbo].[user_storage] (
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [quotaBytes] BIGINT NOT NULL,
    CONSTRAINT [user_storage_pkey] PRIMARY KEY CLUSTERED ([userId])
);
