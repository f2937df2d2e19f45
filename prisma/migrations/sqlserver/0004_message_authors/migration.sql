-- Messages say who has saved them: the one who moved a head over them, or, where no event tells, whose chat it is.

ALTER TABLE [dbo].[messages] ADD [createdBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2;

-- A batch is compiled before it runs, when the column is not there yet: hence EXEC. LOOP, so that the messages of each event are
-- looked up by their seqs, and those of a chat are not joined with all of its events.
EXEC (N'
    UPDATE m SET [createdBy] = e.[actorId]
    FROM [dbo].[chat_events] e
    INNER LOOP JOIN [dbo].[messages] m ON m.[chatId] = e.[chatId]
        AND m.[seq] BETWEEN CAST(JSON_VALUE(e.[payload], N''$.firstSeq'') AS INT)
            AND CAST(JSON_VALUE(e.[payload], N''$.lastSeq'') AS INT)
    WHERE e.[type] = N''BranchHeadMoved'';

    UPDATE m SET [createdBy] = c.[userId]
    FROM [dbo].[messages] m INNER JOIN [dbo].[chats] c ON c.[id] = m.[chatId]
    WHERE m.[createdBy] IS NULL;

    ALTER TABLE [dbo].[messages]
        ALTER COLUMN [createdBy] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL;');
