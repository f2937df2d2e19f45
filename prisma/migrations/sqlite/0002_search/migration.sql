-- Search: the words of every message, and the full-text index on them.

CREATE TABLE "message_texts" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "messageId" TEXT NOT NULL,
    "chatId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "seq" INTEGER NOT NULL,
    "length" INTEGER NOT NULL,
    "terms" TEXT NOT NULL,
    CONSTRAINT "message_texts_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "message_texts_messageId_key" ON "message_texts"("messageId");
CREATE INDEX "message_texts_chatId_idx" ON "message_texts"("chatId");

CREATE TABLE "search_index" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "analyzer" INTEGER NOT NULL
);

-- The terms are words already, cut out, folded and stemmed by src/search: what is left to do is to part them at spaces,
-- and ascii keeps every letter beyond ASCII. No positions (detail) and no text (content): message_texts has it. "scope"
-- holds a token for the chat and one for its owner, so that a search in one chat reads no more than that chat's.
CREATE VIRTUAL TABLE "messages_fts" USING fts5(
    "scope", "terms", content = '', contentless_delete = 1, detail = column, tokenize = 'ascii'
);

CREATE TRIGGER "message_texts_insert" AFTER INSERT ON "message_texts" BEGIN
    INSERT INTO "messages_fts" (rowid, "scope", "terms") VALUES (
        new."id",
        'c' || hex(new."chatId") || ' u' || hex((SELECT "userId" FROM "chats" WHERE "id" = new."chatId")),
        new."terms"
    );
END;

CREATE TRIGGER "message_texts_delete" AFTER DELETE ON "message_texts" BEGIN
    DELETE FROM "messages_fts" WHERE rowid = old."id";
END;
