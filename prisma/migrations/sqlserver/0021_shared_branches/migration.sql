-- The further branches of a share, and the name of the person who shares it: see docs/access/shares.md.

ALTER TABLE [dbo].[shares] ADD [sharerName] NVARCHAR(255) NULL, [branchName] NVARCHAR(255) NULL, [branches] NVARCHAR(MAX) NULL;
