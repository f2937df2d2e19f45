-- Legal holds on chats and users, and retention by user: see docs/retention.md.

CREATE TABLE [dbo].[legal_holds] (
    [scope] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [targetId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [reason] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [createdAt] BIGINT NOT NULL,
    CONSTRAINT [legal_holds_pkey] PRIMARY KEY CLUSTERED ([scope], [targetId])
);

CREATE TABLE [dbo].[user_retention] (
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [days] INT NOT NULL,
    CONSTRAINT [user_retention_pkey] PRIMARY KEY CLUSTERED ([userId])
);
