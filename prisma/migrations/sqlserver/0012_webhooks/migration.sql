-- The outbox of webhooks: see docs/webhooks.md. Without references to chats: the deletion of a chat is an event, too.

CREATE TABLE [dbo].[webhook_deliveries] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [webhook] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [type] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [seq] INT NOT NULL,
    [userId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [actorId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [ids] NVARCHAR(MAX) NOT NULL,
    [createdAt] BIGINT NOT NULL,
    [state] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [attempts] INT NOT NULL,
    [dueAt] BIGINT NOT NULL,
    [lastAttemptAt] BIGINT NULL,
    [lastStatus] INT NULL,
    [lastError] NVARCHAR(255) NULL,
    CONSTRAINT [webhook_deliveries_pkey] PRIMARY KEY CLUSTERED ([id])
);

CREATE NONCLUSTERED INDEX [webhook_deliveries_webhook_state_dueAt_idx] ON [dbo].[webhook_deliveries]([webhook], [state], [dueAt]);
CREATE NONCLUSTERED INDEX [webhook_deliveries_state_id_idx] ON [dbo].[webhook_deliveries]([state], [id]);
