-- Imports that take more than one transaction (docs/adr/0020-importing-in-steps.md).

CREATE TABLE "chat_imports" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "holder" TEXT COLLATE "C" NOT NULL,
    "expiresAt" BIGINT NOT NULL,
    "afterSeq" INTEGER,
    CONSTRAINT "chat_imports_pkey" PRIMARY KEY ("chatId"),
    CONSTRAINT "chat_imports_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- A hidden chat has the owner of a chat that is being removed. Servers of an older version lock such a chat with an
-- update before they delete its rows, and leave it alone when no row was updated. Their role may lack rights on the new
-- table, so the function runs with the rights of its owner.
CREATE FUNCTION "keep_hidden_chat"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM "chat_imports" WHERE "chatId" = OLD."id" AND "afterSeq" IS NULL) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER "chats_keep_hidden" BEFORE UPDATE OF "userId" ON "chats"
FOR EACH ROW WHEN (OLD."userId" = '' AND NEW."userId" = '') EXECUTE FUNCTION "keep_hidden_chat"();
