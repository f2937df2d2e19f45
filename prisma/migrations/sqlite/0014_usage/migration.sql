-- The tokens that messages state, by month, user and model: see docs/operations.md.

CREATE TABLE "monthly_usage" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "month" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "messages" BIGINT NOT NULL,
    "inputTokens" BIGINT,
    "outputTokens" BIGINT,
    "reasoningTokens" BIGINT,
    "cachedInputTokens" BIGINT
);

CREATE INDEX "monthly_usage_month_userId_model_idx" ON "monthly_usage"("month", "userId", "model");
CREATE INDEX "monthly_usage_userId_month_model_idx" ON "monthly_usage"("userId", "month", "model");
