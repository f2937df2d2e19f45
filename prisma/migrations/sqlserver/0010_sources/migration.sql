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
