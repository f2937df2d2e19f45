-- The bytes of messages by chat, counted later, and the storage quotas of users: see docs/limits.md.

CREATE TABLE "chat_storage" (
    "chatId" TEXT NOT NULL PRIMARY KEY,
    "version" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    CONSTRAINT "chat_storage_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "user_storage" (
    "userId" TEXT NOT NULL PRIMARY KEY,
    "quotaBytes" BIGINT NOT NULL
);
