-- The token usage of a chat: see docs/graphs.md. First, because running servers lock chats before messages.

ALTER TABLE [dbo].[chats] ADD [usage] NVARCHAR(MAX) NULL;

-- Earlier messages that a message draws on besides its parent. The CHECK makes cycles impossible.

CREATE TABLE [dbo].[message_sources] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [seq] INT NOT NULL,
    [position] INT NOT NULL,
    [sourceSeq] INT NOT NULL,
    CONSTRAINT [message_sources_pkey] PRIMARY KEY CLUSTERED ([chatId], [seq], [position]),
    CONSTRAINT [message_sources_chatId_sourceSeq_seq_key] UNIQUE NONCLUSTERED ([chatId], [sourceSeq], [seq]),
    CONSTRAINT [message_sources_earlier] CHECK ([sourceSeq] < [seq])
);

ALTER TABLE [dbo].[message_sources] ADD CONSTRAINT [message_sources_chatId_seq_fkey] FOREIGN KEY ([chatId], [seq]) REFERENCES [dbo].[messages]([chatId], [seq]) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE [dbo].[message_sources] ADD CONSTRAINT [message_sources_chatId_sourceSeq_fkey] FOREIGN KEY ([chatId], [sourceSeq]) REFERENCES [dbo].[messages]([chatId], [seq]) ON DELETE NO ACTION ON UPDATE NO ACTION;

-- Content hashes and token usage of paths: see docs/graphs.md. Null until computed; the index finds the messages that lack them.

ALTER TABLE [dbo].[messages] ADD [contentHash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL, [usage] NVARCHAR(MAX) NULL;

-- A batch is compiled before it runs, when the column does not exist yet: hence EXEC.
EXEC (N'CREATE NONCLUSTERED INDEX [messages_without_hash] ON [dbo].[messages]([chatId], [seq]) WHERE [contentHash] IS NULL');

-- Access tokens: see docs/access-tokens.md.

CREATE TABLE [dbo].[access_tokens] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [scopes] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [tokenHash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [lastUsedAt] BIGINT NULL,
    [expiresAt] BIGINT NULL,
    CONSTRAINT [access_tokens_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [access_tokens_tokenHash_key] UNIQUE NONCLUSTERED ([tokenHash])
);

CREATE NONCLUSTERED INDEX [access_tokens_userId_idx] ON [dbo].[access_tokens]([userId]);
CREATE NONCLUSTERED INDEX [access_tokens_chatId_idx] ON [dbo].[access_tokens]([chatId]);
ALTER TABLE [dbo].[access_tokens] ADD CONSTRAINT [access_tokens_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;

-- The few messages of type summary in each chat, for Branch.context.

CREATE NONCLUSTERED INDEX [messages_summaries] ON [dbo].[messages]([chatId], [seq]) WHERE [type] = N'summary';

-- The users that created branches; null for older ones.

ALTER TABLE [dbo].[branches] ADD [createdBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL;

-- Sources that a fork did not copy, as their content hashes.

CREATE TABLE [dbo].[message_source_hashes] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [seq] INT NOT NULL,
    [position] INT NOT NULL,
    [hash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    CONSTRAINT [message_source_hashes_pkey] PRIMARY KEY CLUSTERED ([chatId], [seq], [position])
);

ALTER TABLE [dbo].[message_source_hashes] ADD CONSTRAINT [message_source_hashes_chatId_seq_fkey] FOREIGN KEY ([chatId], [seq]) REFERENCES [dbo].[messages]([chatId], [seq]) ON DELETE CASCADE ON UPDATE CASCADE;

-- Users that may access the chat of another one: see docs/members.md.

CREATE TABLE [dbo].[chat_members] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [role] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [addedAt] BIGINT NOT NULL,
    [addedBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    CONSTRAINT [chat_members_pkey] PRIMARY KEY CLUSTERED ([chatId], [userId])
);

CREATE NONCLUSTERED INDEX [chat_members_userId_chatId_idx] ON [dbo].[chat_members]([userId], [chatId]);
ALTER TABLE [dbo].[chat_members] ADD CONSTRAINT [chat_members_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;

-- Links to a path: see docs/shares.md. They go with its last message, so that servers of older versions can delete chats.

CREATE TABLE [dbo].[shares] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [messageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [tokenHash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [title] NVARCHAR(255) NULL,
    [contentHash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [hiddenDepths] NVARCHAR(MAX) NULL,
    [includeReasoning] BIT NOT NULL,
    [includeTools] BIT NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [expiresAt] BIGINT NULL,
    CONSTRAINT [shares_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [shares_tokenHash_key] UNIQUE NONCLUSTERED ([tokenHash])
);

CREATE NONCLUSTERED INDEX [shares_chatId_messageId_idx] ON [dbo].[shares]([chatId], [messageId]);
ALTER TABLE [dbo].[shares] ADD CONSTRAINT [shares_chatId_messageId_fkey] FOREIGN KEY ([chatId], [messageId]) REFERENCES [dbo].[messages]([chatId], [id]) ON DELETE CASCADE ON UPDATE CASCADE;

-- The origins of forked chats.

CREATE TABLE [dbo].[chat_forks] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [fromChatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [fromMessageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    CONSTRAINT [chat_forks_pkey] PRIMARY KEY CLUSTERED ([chatId])
);

ALTER TABLE [dbo].[chat_forks] ADD CONSTRAINT [chat_forks_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
