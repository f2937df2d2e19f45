-- The bytes of titles and metadata, counted later: see docs/limits.md.

ALTER TABLE "chat_storage" ADD COLUMN "chatBytes" BIGINT;
