-- Search: the words of every message, and the full-text index on them.

CREATE TABLE "message_texts" (
    "id" SERIAL NOT NULL,
    "messageId" TEXT COLLATE "C" NOT NULL,
    "chatId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "seq" INTEGER NOT NULL,
    "length" INTEGER NOT NULL,
    "terms" TEXT NOT NULL,
    -- The terms are words already, cut out, folded and stemmed by src/search: no parser, dictionary or list of stop words
    -- of the database has a say. The chat is one of them, behind a slash, so that a word which many chats have is found in
    -- one of them without a look at the others. A tsvector holds 1 MB at most; a longer text is looked through without an
    -- index.
    "vector" TSVECTOR GENERATED ALWAYS AS (
        CASE WHEN octet_length("terms") < 1000000
            THEN array_to_tsvector(array_append(string_to_array(btrim("terms"), '  '), '/' || "chatId"))
        END
    ) STORED,
    CONSTRAINT "message_texts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "message_texts_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "message_texts_messageId_key" ON "message_texts"("messageId");
CREATE INDEX "message_texts_chatId_idx" ON "message_texts"("chatId");
-- New entries are put on a list first, through which every search has to go: 256 kB of it, and not 4 MB.
CREATE INDEX "message_texts_vector_idx" ON "message_texts" USING GIN ("vector") WITH (gin_pending_list_limit = 256);
CREATE INDEX "message_texts_without_vector" ON "message_texts"("chatId") WHERE "vector" IS NULL;

CREATE TABLE "search_index" (
    "id" INTEGER NOT NULL,
    "analyzer" INTEGER NOT NULL,
    CONSTRAINT "search_index_pkey" PRIMARY KEY ("id")
);
