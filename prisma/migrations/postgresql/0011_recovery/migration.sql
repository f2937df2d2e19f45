-- Deleted chats that can be restored: see docs/deletion.md. They are hidden like unfinished imports, so that servers of an
-- older version neither show nor remove them before "expiresAt".

ALTER TABLE "chat_imports" ADD COLUMN "deletedAt" BIGINT;

CREATE INDEX "chat_imports_deleted" ON "chat_imports"("userId", "deletedAt", "chatId") WHERE "deletedAt" IS NOT NULL;
CREATE INDEX "chat_imports_due" ON "chat_imports"("expiresAt") WHERE "deletedAt" IS NOT NULL;
