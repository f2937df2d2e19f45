-- The further branches of a share, and the name of the person who shares it: see docs/access/shares.md.

ALTER TABLE "shares" ADD COLUMN "sharerName" TEXT;
ALTER TABLE "shares" ADD COLUMN "branchName" TEXT;
ALTER TABLE "shares" ADD COLUMN "branches" TEXT;
