-- Legal holds on chats and users, retention by user, and the counted bytes of chats: see docs/retention.md.

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

CREATE TABLE "chat_storage" (
    "chatId" TEXT NOT NULL PRIMARY KEY,
    "version" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    CONSTRAINT "chat_storage_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
