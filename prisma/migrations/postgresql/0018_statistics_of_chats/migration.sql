-- If the statistics list every chat, the planner expects no rows of a newer one, and reads all rows of that chat to find one.
-- If they list at most one chat, it expects as many rows as the other chats have on average.
-- Citus refuses this change of tables that are distributed already; shards of tables that are distributed later have it.
DO $$
DECLARE
  name TEXT;
BEGIN
  IF to_regclass('id_directory') IS NOT NULL THEN
    RETURN;
  END IF;
  FOREACH name IN ARRAY ARRAY[
    'messages', 'message_runs', 'message_sources', 'message_source_hashes', 'message_texts', 'message_files', 'branches',
    'checkpoints', 'chat_events', 'drafts', 'draft_chunks'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN "chatId" SET STATISTICS 1', name);
  END LOOP;
  IF EXISTS (SELECT 1 FROM "messages") THEN
    ANALYZE "messages", "message_texts", "branches", "checkpoints", "chat_events";
  END IF;
END $$;
