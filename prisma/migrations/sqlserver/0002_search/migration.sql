-- Search: the words of every message. The full-text index on them is made apart, where the server has full-text search:
-- that cannot be done in a transaction (src/database/dialects/sqlserver-full-text.ts).

CREATE TABLE [dbo].[message_texts] (
    [id] INT NOT NULL IDENTITY(1,1),
    [messageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [seq] INT NOT NULL,
    [length] INT NOT NULL,
    -- BIN2 also here: LIKE finds exactly what is written, and is quick about it.
    [terms] NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    CONSTRAINT [message_texts_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [message_texts_messageId_key] UNIQUE NONCLUSTERED ([messageId])
);

CREATE NONCLUSTERED INDEX [message_texts_chatId_idx] ON [dbo].[message_texts]([chatId]);
ALTER TABLE [dbo].[message_texts] ADD CONSTRAINT [message_texts_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE [dbo].[search_index] (
    [id] INT NOT NULL,
    [analyzer] INT NOT NULL,
    CONSTRAINT [search_index_pkey] PRIMARY KEY CLUSTERED ([id])
);
