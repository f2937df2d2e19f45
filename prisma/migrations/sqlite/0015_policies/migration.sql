-- Legal holds on chats and users, and retention by user: see docs/retention.md.

CREATE TABLE "legal_holds" (
    "scope" TEXT NOT NULL,
    "targetId" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    PRIMARY KEY ("scope", "targetId")
);

CREATE TABLE "user_retention" (
    "userId" TEXT NOT NULL PRIMARY KEY,
    "days" INTEGER NOT NULL
);
