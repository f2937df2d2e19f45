-- The chat in rows of chunks: a row of a chat names it, so that each statement needs one partition of the tables.

-- Servers of an older version insert chunks without it: '' until the trigger sets it. The distributed form has no
-- triggers; servers of an older version cannot use it.
ALTER TABLE "draft_chunks" ADD COLUMN "chatId" TEXT COLLATE "C" NOT NULL DEFAULT '';

UPDATE "draft_chunks" SET "chatId" = d."chatId" FROM "drafts" d WHERE d."id" = "draftId";

CREATE FUNCTION "set_chat_of_chunk"() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    SELECT d."chatId" INTO NEW."chatId" FROM "drafts" d WHERE d."id" = NEW."draftId";
    RETURN NEW;
END
$$;

CREATE TRIGGER "draft_chunks_set_chat" BEFORE INSERT ON "draft_chunks"
FOR EACH ROW WHEN (NEW."chatId" = '') EXECUTE FUNCTION "set_chat_of_chunk"();
