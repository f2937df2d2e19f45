-- The chat in rows of chunks, as on PostgreSQL. Servers of an older version insert chunks without it: '' until the trigger
-- sets it.

ALTER TABLE "draft_chunks" ADD COLUMN "chatId" TEXT NOT NULL DEFAULT '';

UPDATE "draft_chunks" SET "chatId" = (SELECT d."chatId" FROM "drafts" d WHERE d."id" = "draftId");

CREATE TRIGGER "draft_chunks_set_chat" AFTER INSERT ON "draft_chunks" WHEN new."chatId" = '' BEGIN
    UPDATE "draft_chunks" SET "chatId" = (SELECT d."chatId" FROM "drafts" d WHERE d."id" = new."draftId")
    WHERE "draftId" = new."draftId" AND "endOffset" = new."endOffset";
END;
