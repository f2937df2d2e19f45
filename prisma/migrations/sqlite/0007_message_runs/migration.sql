-- Where messages do not follow the one saved right before them: what the outline of a chat is made of.

CREATE TABLE "message_runs" (
    "chatId" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "parentSeq" INTEGER,
    PRIMARY KEY ("chatId", "seq"),
    CONSTRAINT "message_runs_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

INSERT INTO "message_runs"
SELECT m."chatId", m."seq", p."seq"
FROM "messages" m LEFT JOIN "messages" p ON p."id" = m."parentId"
WHERE m."seq" > 1 AND p."seq" IS NOT m."seq" - 1
ORDER BY m."chatId", m."seq";
