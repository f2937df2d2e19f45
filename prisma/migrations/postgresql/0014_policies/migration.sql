-- Legal holds on chats and users, retention by user, and the counted bytes of chats: see docs/retention.md.

CREATE TABLE "legal_holds" (
    "scope" TEXT COLLATE "C" NOT NULL,
    "targetId" TEXT COLLATE "C" NOT NULL,
    "reason" TEXT COLLATE "C" NOT NULL,
    "createdBy" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    CONSTRAINT "legal_holds_pkey" PRIMARY KEY ("scope", "targetId")
);

CREATE TABLE "user_retention" (
    "userId" TEXT COLLATE "C" NOT NULL,
    "days" INTEGER NOT NULL,
    CONSTRAINT "user_retention_pkey" PRIMARY KEY ("userId")
);

CREATE TABLE "chat_storage" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    CONSTRAINT "chat_storage_pkey" PRIMARY KEY ("chatId"),
    CONSTRAINT "chat_storage_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
