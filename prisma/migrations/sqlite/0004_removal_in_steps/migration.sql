-- A chat is removed in steps. The full-text index would tidy up a part of itself whenever a tenth of that was deleted,
-- writing again and again what goes a moment later, for up to half a second at a time. It is quick where little is left.

INSERT INTO "messages_fts" ("messages_fts", "rank") VALUES ('deletemerge', 90);
