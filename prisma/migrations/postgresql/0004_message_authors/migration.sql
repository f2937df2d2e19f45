-- Messages say who has saved them: the one who moved a head over them, or, where no event tells, whose chat it is.

ALTER TABLE "messages" ADD COLUMN "createdBy" TEXT COLLATE "C";

-- By each seq of a range, not by the range: whichever way the two are joined, it takes as long as there are messages.
UPDATE "messages" m SET "createdBy" = e."actorId"
FROM (
    SELECT "chatId", "actorId",
        generate_series(("payload"::json ->> 'firstSeq')::int, ("payload"::json ->> 'lastSeq')::int) AS "seq"
    FROM "chat_events" WHERE "type" = 'BranchHeadMoved'
) e
WHERE m."chatId" = e."chatId" AND m."seq" = e."seq";

UPDATE "messages" m SET "createdBy" = c."userId"
FROM "chats" c WHERE c."id" = m."chatId" AND m."createdBy" IS NULL;

ALTER TABLE "messages" ALTER COLUMN "createdBy" SET NOT NULL;
