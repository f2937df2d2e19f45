-- The bytes of titles and metadata, counted later: see docs/limits.md.

ALTER TABLE [dbo].[chat_storage] ADD [chatBytes] BIGINT;
