-- Messages that are being written, and what has been written of them so far: a row for each append.

CREATE TABLE [dbo].[drafts] (
    [id] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [branchId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [parentId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [onConflict] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [name] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [metadata] NVARCHAR(MAX) NULL,
    [idleTimeout] INT NOT NULL,
    [startedBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [startedAt] BIGINT NOT NULL,
    [updatedAt] BIGINT NOT NULL,
    [length] INT NOT NULL,
    [bytes] INT NOT NULL,
    [stoppedBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    [endedAt] BIGINT NULL,
    [messageId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NULL,
    CONSTRAINT [drafts_pkey] PRIMARY KEY CLUSTERED ([id])
);

CREATE NONCLUSTERED INDEX [drafts_chatId_idx] ON [dbo].[drafts]([chatId]);
CREATE NONCLUSTERED INDEX [drafts_endedAt_updatedAt_idx] ON [dbo].[drafts]([endedAt], [updatedAt]);
ALTER TABLE [dbo].[drafts] ADD CONSTRAINT [drafts_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE [dbo].[draft_chunks] (
    [draftId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [endOffset] INT NOT NULL,
    [startOffset] INT NOT NULL,
    [chunks] NVARCHAR(MAX) NOT NULL,
    CONSTRAINT [draft_chunks_pkey] PRIMARY KEY CLUSTERED ([draftId], [endOffset])
);

ALTER TABLE [dbo].[draft_chunks] ADD CONSTRAINT [draft_chunks_draftId_fkey] FOREIGN KEY ([draftId]) REFERENCES [dbo].[drafts]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
