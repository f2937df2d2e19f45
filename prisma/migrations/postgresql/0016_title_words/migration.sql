-- The words of titles, for filters of chats: see docs/search.md. Servers write them in the background. The index finds
-- the chats without those of their title, such as chats that a server of an older version renamed. The CASE has a small
-- estimated selectivity, so that the planner uses the index.

ALTER TABLE "chats" ADD COLUMN "indexedTitle" TEXT;

CREATE INDEX "chats_outdated_title_words" ON "chats"("id") WHERE (CASE WHEN "title" IS DISTINCT FROM "indexedTitle" THEN 1 END) = 1;

CREATE TABLE "chat_title_words" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "word" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "chat_title_words_pkey" PRIMARY KEY ("chatId", "word"),
    CONSTRAINT "chat_title_words_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "chat_title_words_word_chatId_idx" ON "chat_title_words"("word", "chatId");
