-- The words of titles, for filters of chats: see docs/search.md. Servers write them in the background. The index finds
-- the chats without those of their title, such as chats that a server of an older version renamed.

ALTER TABLE "chats" ADD COLUMN "indexedTitle" TEXT;

CREATE INDEX "chats_outdated_title_words" ON "chats"("id") WHERE "title" IS NOT "indexedTitle";

CREATE TABLE "chat_title_words" (
    "chatId" TEXT NOT NULL,
    "word" TEXT NOT NULL,
    PRIMARY KEY ("chatId", "word"),
    CONSTRAINT "chat_title_words_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

CREATE INDEX "chat_title_words_word_chatId_idx" ON "chat_title_words"("word", "chatId");
