-- The tokens that messages state, by month, user and model: see docs/operations.md.

CREATE TABLE [dbo].[monthly_usage] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [month] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [model] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [messages] BIGINT NOT NULL,
    [inputTokens] BIGINT NULL,
    [outputTokens] BIGINT NULL,
    [reasoningTokens] BIGINT NULL,
    [cachedInputTokens] BIGINT NULL,
    CONSTRAINT [monthly_usage_pkey] PRIMARY KEY CLUSTERED ([id])
);

CREATE NONCLUSTERED INDEX [monthly_usage_month_userId_model_idx] ON [dbo].[monthly_usage]([month], [userId], [model]);
CREATE NONCLUSTERED INDEX [monthly_usage_userId_month_model_idx] ON [dbo].[monthly_usage]([userId], [month], [model]);
