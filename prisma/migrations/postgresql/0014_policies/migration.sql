-- Legal holds on chats and users, and retention by user: see docs/retention.md.

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
