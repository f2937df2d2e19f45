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
