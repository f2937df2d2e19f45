-- The branch that a draft makes active: see src/conversation/drafts/own-branch.ts. All are null for drafts that an older version began.

ALTER TABLE "drafts" ADD COLUMN "activation" TEXT COLLATE "C";
ALTER TABLE "drafts" ADD COLUMN "requestedBranchId" TEXT COLLATE "C";
ALTER TABLE "drafts" ADD COLUMN "requestedHeadId" TEXT COLLATE "C";
