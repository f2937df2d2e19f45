-- Earlier messages that a message draws on besides its parent. The CHECK makes cycles impossible.

CREATE TABLE "message_sources" (
    "chatId" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "sourceSeq" INTEGER NOT NULL,
    CONSTRAINT "message_sources_pkey" PRIMARY KEY ("chatId", "seq", "position"),
    CONSTRAINT "message_sources_chatId_seq_fkey" FOREIGN KEY ("chatId", "seq") REFERENCES "messages" ("chatId", "seq") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "message_sources_chatId_sourceSeq_fkey" FOREIGN KEY ("chatId", "sourceSeq") REFERENCES "messages" ("chatId", "seq") ON DELETE NO ACTION ON UPDATE NO ACTION,
    CONSTRAINT "message_sources_earlier" CHECK ("sourceSeq" < "seq")
);

CREATE UNIQUE INDEX "message_sources_chatId_sourceSeq_seq_key" ON "message_sources"("chatId", "sourceSeq", "seq");
