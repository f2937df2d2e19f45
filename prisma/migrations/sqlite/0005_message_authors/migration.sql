-- Messages say who has saved them: the one who moved a head over them, or, where no event tells, whose chat it is. The table is
-- written anew, since a column that is added has to have a default.

CREATE TEMP TABLE "message_authors" ("chatId" TEXT, "seq" INTEGER, "createdBy" TEXT, PRIMARY KEY ("chatId", "seq"));

INSERT OR IGNORE INTO "message_authors"
SELECT m."chatId", m."seq", e."actorId"
FROM "chat_events" e
CROSS JOIN "messages" m ON m."chatId" = e."chatId"
    AND m."seq" BETWEEN e."payload" ->> 'firstSeq' AND e."payload" ->> 'lastSeq'
WHERE e."type" = 'BranchHeadMoved';

CREATE TABLE "new_messages" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "chatId" TEXT NOT NULL,
    "parentId" TEXT,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "depth" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "siblingIndex" INTEGER NOT NULL,
    "jumpId" TEXT NOT NULL,
    "preview" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    CONSTRAINT "messages_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "messages_chatId_parentId_fkey" FOREIGN KEY ("chatId", "parentId") REFERENCES "messages" ("chatId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION
);

INSERT INTO "new_messages"
SELECT m.*, coalesce(a."createdBy", c."userId")
FROM "messages" m
CROSS JOIN "chats" c ON c."id" = m."chatId"
LEFT JOIN "message_authors" a ON a."chatId" = m."chatId" AND a."seq" = m."seq"
ORDER BY m.rowid;

DROP TABLE "message_authors";
DROP TABLE "messages";
ALTER TABLE "new_messages" RENAME TO "messages";

CREATE UNIQUE INDEX "messages_chatId_id_key" ON "messages"("chatId", "id");
CREATE UNIQUE INDEX "messages_chatId_seq_key" ON "messages"("chatId", "seq");
CREATE UNIQUE INDEX "messages_chatId_parentId_siblingIndex_key" ON "messages"("chatId", "parentId", "siblingIndex");
-- Prisma cannot say this one: the index above takes all NULLs for different, so it does not hold for roots.
CREATE UNIQUE INDEX "messages_roots_chatId_siblingIndex" ON "messages"("chatId", "siblingIndex") WHERE "parentId" IS NULL;
