-- Sessions of pages: see docs/access/sessions.md.

CREATE TABLE [dbo].[page_sessions] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [accessTokenId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [secretHash] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [sealedToken] NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [expiresAt] BIGINT NOT NULL,
    CONSTRAINT [page_sessions_pkey] PRIMARY KEY CLUSTERED ([id]),
    CONSTRAINT [page_sessions_secretHash_key] UNIQUE NONCLUSTERED ([secretHash])
);

CREATE NONCLUSTERED INDEX [page_sessions_userId_idx] ON [dbo].[page_sessions]([userId]);
CREATE NONCLUSTERED INDEX [page_sessions_expiresAt_idx] ON [dbo].[page_sessions]([expiresAt]);
