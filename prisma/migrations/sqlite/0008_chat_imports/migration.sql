-- Imports that take more than one transaction (docs/adr/0020-importing-in-steps.md).

CREATE TABLE "chat_imports" (
    "chatId" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "expiresAt" BIGINT NOT NULL,
    "afterSeq" INTEGER,
    CONSTRAINT "chat_imports_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- A hidden chat has the owner of a chat that is being removed. Servers of an older version lock such a chat with this
-- update before they delete its rows, and leave it alone when no row was updated.
CREATE TRIGGER "chats_keep_hidden" BEFORE UPDATE OF "userId" ON "chats"
WHEN old."userId" = '' AND new."userId" = ''
    AND EXISTS (SELECT 1 FROM "chat_imports" WHERE "chatId" = old."id" AND "afterSeq" IS NULL)
BEGIN
    SELECT RAISE(IGNORE);
END;

-- The texts of a hidden chat are indexed for its later owner, so that publishing it does not index them again.
DROP TRIGGER "message_texts_insert";

CREATE TRIGGER "message_texts_insert" AFTER INSERT ON "message_texts" BEGIN
    INSERT INTO "messages_fts" (rowid, "scope", "terms") VALUES (
        new."id",
        'c' || hex(new."chatId") || ' u' || hex(coalesce(
            (SELECT "userId" FROM "chat_imports" WHERE "chatId" = new."chatId" AND "afterSeq" IS NULL),
            (SELECT "userId" FROM "chats" WHERE "id" = new."chatId")
        )),
        new."terms"
    );
END;
