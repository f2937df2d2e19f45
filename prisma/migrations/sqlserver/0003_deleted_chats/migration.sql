-- What is left of a chat that was deleted: its log went with it, and whoever follows it is told how it ended.

CREATE TABLE [dbo].[deleted_chats] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [seq] INT NOT NULL,
    [actorId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    CONSTRAINT [deleted_chats_pkey] PRIMARY KEY CLUSTERED ([id])
);

CREATE NONCLUSTERED INDEX [deleted_chats_createdAt_idx] ON [dbo].[deleted_chats]([createdAt]);
