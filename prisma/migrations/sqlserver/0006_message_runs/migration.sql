-- Where messages do not follow the one saved right before them: what the outline of a chat is made of.

CREATE TABLE [dbo].[message_runs] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [seq] INT NOT NULL,
    [parentSeq] INT NULL,
    CONSTRAINT [message_runs_pkey] PRIMARY KEY CLUSTERED ([chatId], [seq])
);

ALTER TABLE [dbo].[message_runs] ADD CONSTRAINT [message_runs_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO [dbo].[message_runs] ([chatId], [seq], [parentSeq])
SELECT m.[chatId], m.[seq], p.[seq]
FROM [dbo].[messages] m LEFT JOIN [dbo].[messages] p ON p.[id] = m.[parentId]
WHERE m.[seq] > 1 AND (p.[seq] IS NULL OR p.[seq] <> m.[seq] - 1);
