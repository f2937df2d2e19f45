-- The conversation graph: chats, immutable messages, branches and checkpoints that point at them, and the log.
-- Ids and names are compared code unit by code unit (BIN2), as on the other databases, whatever the database's collation
-- is. One batch: it knows no GO.

CREATE TABLE [dbo].[chats] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [title] NVARCHAR(255) NULL,
    [metadata] NVARCHAR(MAX) NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [updatedAt] BIGINT NOT NULL,
    [version] INT NOT NULL,
    CONSTRAINT [chats_pkey] PRIMARY KEY CLUSTERED ([id])
);

CREATE NONCLUSTERED INDEX [chats_updatedAt_id_idx] ON [dbo].[chats]([updatedAt], [id]);
CREATE NONCLUSTERED INDEX [chats_userId_updatedAt_id_idx] ON [dbo].[chats]([userId], [updatedAt], [id]);

CREATE TABLE [dbo].[messages] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [parentId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [type] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [depth] INT NOT NULL,
    [seq] INT NOT NULL,
    [siblingIndex] INT NOT NULL,
    [jumpId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [preview] NVARCHAR(255) NOT NULL,
    [data] NVARCHAR(MAX) NOT NULL,
    CONSTRAINT [messages_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [messages_chatId_id_key] UNIQUE NONCLUSTERED ([chatId], [id]),
    CONSTRAINT [messages_chatId_seq_key] UNIQUE NONCLUSTERED ([chatId], [seq]),
    CONSTRAINT [messages_chatId_parentId_siblingIndex_key] UNIQUE NONCLUSTERED ([chatId], [parentId], [siblingIndex])
);

-- Prisma cannot say this one. SQL Server takes all NULLs for equal, and would not need it: the constraint above holds for
-- roots too. It is there for those who take them for different, and finds the roots of a chat.
CREATE UNIQUE NONCLUSTERED INDEX [messages_roots_chatId_siblingIndex] ON [dbo].[messages]([chatId], [siblingIndex]) WHERE [parentId] IS NULL;
-- A message goes with its chat, by one way alone: SQL Server allows no second, and no cascade along a table's own keys.
ALTER TABLE [dbo].[messages] ADD CONSTRAINT [messages_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE [dbo].[messages] ADD CONSTRAINT [messages_chatId_parentId_fkey] FOREIGN KEY ([chatId], [parentId]) REFERENCES [dbo].[messages]([chatId], [id]) ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE TABLE [dbo].[branches] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [headMessageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [isActive] BIT NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [seq] INT NOT NULL,
    CONSTRAINT [branches_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [branches_chatId_name_key] UNIQUE NONCLUSTERED ([chatId], [name]),
    CONSTRAINT [branches_chatId_seq_key] UNIQUE NONCLUSTERED ([chatId], [seq])
);

CREATE NONCLUSTERED INDEX [branches_chatId_headMessageId_idx] ON [dbo].[branches]([chatId], [headMessageId]);
-- Prisma cannot say this one: at most one active branch in a chat. The rules never leave a chat without one.
CREATE UNIQUE NONCLUSTERED INDEX [branches_one_active_per_chat] ON [dbo].[branches]([chatId]) WHERE [isActive] = 1;
ALTER TABLE [dbo].[branches] ADD CONSTRAINT [branches_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE [dbo].[branches] ADD CONSTRAINT [branches_chatId_headMessageId_fkey] FOREIGN KEY ([chatId], [headMessageId]) REFERENCES [dbo].[messages]([chatId], [id]) ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE TABLE [dbo].[checkpoints] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [messageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [seq] INT NOT NULL,
    CONSTRAINT [checkpoints_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [checkpoints_chatId_name_key] UNIQUE NONCLUSTERED ([chatId], [name]),
    CONSTRAINT [checkpoints_chatId_seq_key] UNIQUE NONCLUSTERED ([chatId], [seq])
);

CREATE NONCLUSTERED INDEX [checkpoints_chatId_messageId_idx] ON [dbo].[checkpoints]([chatId], [messageId]);
ALTER TABLE [dbo].[checkpoints] ADD CONSTRAINT [checkpoints_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE [dbo].[checkpoints] ADD CONSTRAINT [checkpoints_chatId_messageId_fkey] FOREIGN KEY ([chatId], [messageId]) REFERENCES [dbo].[messages]([chatId], [id]) ON DELETE NO ACTION ON UPDATE NO ACTION;

CREATE TABLE [dbo].[chat_events] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [seq] INT NOT NULL,
    [type] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [actorId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [payload] NVARCHAR(MAX) NOT NULL,
    [createdAt] BIGINT NOT NULL,
    CONSTRAINT [chat_events_pkey] PRIMARY KEY CLUSTERED ([chatId], [seq])
);

ALTER TABLE [dbo].[chat_events] ADD CONSTRAINT [chat_events_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
