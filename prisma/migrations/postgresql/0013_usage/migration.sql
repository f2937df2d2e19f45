-- The tokens that messages state, by month, user and model: see docs/operations.md.

CREATE TABLE "monthly_usage" (
    "id" TEXT COLLATE "C" NOT NULL,
    "month" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "model" TEXT COLLATE "C" NOT NULL,
    "messages" BIGINT NOT NULL,
    "inputTokens" BIGINT,
    "outputTokens" BIGINT,
    "reasoningTokens" BIGINT,
    "cachedInputTokens" BIGINT,
    CONSTRAINT "monthly_usage_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "monthly_usage_month_userId_model_idx" ON "monthly_usage"("month", "userId", "model");
CREATE INDEX "monthly_usage_userId_month_model_idx" ON "monthly_usage"("userId", "month", "model");
