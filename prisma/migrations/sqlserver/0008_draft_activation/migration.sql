-- The branch that a draft makes active: see src/conversation/drafts/own-branch.ts. All are null for drafts that an older version began.

ALTER TABLE [dbo].[drafts] ADD [activation] NVARCHAR(255) COLLATE Latin1_General_100_BIN2;
ALTER TABLE [dbo].[drafts] ADD [requestedBranchId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2;
ALTER TABLE [dbo].[drafts] ADD [requestedHeadId] NVARCHAR(255) COLLATE Latin1_General_100_BIN2;
