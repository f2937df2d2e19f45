-- The words of titles, for filters of chats: see docs/search.md. Servers write them in the background. The index finds
-- the chats without those of their title, such as chats that a server of an older version renamed.

ALTER TABLE [dbo].[chats] ADD [indexedTitle] NVARCHAR(255) NULL;

-- A batch is compiled before it runs, when the columns do not exist yet: hence EXEC.
EXEC (N'ALTER TABLE [dbo].[chats] ADD [hasOutdatedWords] AS (CASE WHEN [title] COLLATE Latin1_General_100_BIN2 = [indexedTitle] COLLATE Latin1_General_100_BIN2 OR ([title] IS NULL AND [indexedTitle] IS NULL) THEN 0 ELSE 1 END)');
EXEC (N'CREATE NONCLUSTERED INDEX [chats_outdated_title_words] ON [dbo].[chats]([hasOutdatedWords], [id])');

CREATE TABLE [dbo].[chat_title_words] (
    [chatId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [word] NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    CONSTRAINT [chat_title_words_pkey] PRIMARY KEY CLUSTERED ([chatId], [word])
);

CREATE NONCLUSTERED INDEX [chat_title_words_word_chatId_idx] ON [dbo].[chat_title_words]([word], [chatId]);
ALTER TABLE [dbo].[chat_title_words] ADD CONSTRAINT [chat_title_words_chatId_fkey] FOREIGN KEY ([chatId]) REFERENCES [dbo].[chats]([id]) ON DELETE CASCADE ON UPDATE CASCADE;
