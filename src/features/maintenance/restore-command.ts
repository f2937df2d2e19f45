/** `parley restore`. */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readConfig } from '../../config.js';
import { checkDatabase } from './checking/check-database.js';
import { checkContents } from './checking/content-check.js';
import { CheckReport } from './checking/check-report.js';
import { parseDatabaseUrl } from '../../database/connection/database-url.js';
import { bundledMigrations } from '../../database/drivers/bundled-migrations.js';
import type { FileRecords } from '../../conversation/files/file-records.js';
import { connect } from '../../database/opening/open.js';
import type { FileStorage } from '../../files/file-storage.js';
import { makeFolder } from '../../system/make-folder.js';
import { checkBackupContents } from './backups/contents.js';
import { backupProvider, copyFromBackup, requireEmptyDatabase } from './backups/database-copy.js';
import { CONTENTS, readManifest, type Manifest } from './backups/manifest.js';
import { EXIT, type CommandContext, type CommandDefinition, type CommandFeatures } from '../../command/command.js';
import { withProgress } from '../../command/progress-bar.js';

const DESCRIPTION =
  'Restores the backup in the folder SOURCE into the database of DATABASE_URL, which must be a missing file or an empty database, and ' +
  'into FILES_URL, and checks the result. Start servers afterwards. PostgreSQL needs pg_restore and psql on PATH.';

interface RestoreRequest {
  source: string;
  /** Whether to migrate and check the database. */
  migrate: boolean;
}

export const command: CommandDefinition<RestoreRequest> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .argument('<SOURCE>', 'the folder of a backup')
      .option('--no-migrate', 'leave the database as it was, for servers of an older version, and do not check it'),
  read: ({ migrate }: { migrate: boolean }, [source = '']) => ({ source: resolve(source), migrate }),
  run: restore,
};

async function restore({ source, migrate }: RestoreRequest, context: CommandContext): Promise<number> {
  const { terminal, environment, features } = context;
  const { ALL_CHECKS, files } = await features();
  const config = readConfig(environment);
  const url = parseDatabaseUrl(config.databaseUrl);
  const provider = backupProvider(url);
  const manifest = await readManifest(source);
  if (manifest.provider !== provider) {
    throw new Error(
      `The backup is of ${manifest.provider}, and DATABASE_URL of ${provider}: restore it, then use npm run copy`,
    );
  }
  if (url.provider !== 'sqlite' && manifest.schema !== url.schema) {
    throw new Error(`The backup is of the schema ${manifest.schema}: set ?schema=${manifest.schema} in DATABASE_URL`);
  }
  checkMigrations(manifest);
  await requireEmptyDatabase(config.databaseUrl);
  const filesUrl = config.filesUrl ?? files.defaultUrl(config.databaseUrl);
  await withProgress(terminal.progress, { unit: 'bytes' }, (update) => checkBackupContents(source, manifest, update));
  const restoring = { ...context, source, migrate, manifest, filesUrl, files, ALL_CHECKS };
  const report =
    url.provider === 'sqlite'
      ? await restoreFile(url.path, restoring)
      : await restoreInto(config.databaseUrl, restoring);
  for (const line of report?.problems() ?? []) terminal.error(line);
  if (report !== null) terminal.out(report.summary());
  if (report?.isSound === false) return EXIT.failed;
  terminal.out(`${url.shown} was restored from ${source}, of ${manifest.createdAt}.`);
  return EXIT.done;
}

/** @throws Error when a newer version of Parley wrote the backup */
function checkMigrations({ provider, migrations, writtenBy }: Manifest): void {
  const known = new Set(bundledMigrations(provider).map(({ name }) => name));
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Error(
    `The backup of Parley ${writtenBy} has migrations that this version does not know: ${unknown.join(', ')}`,
  );
}

interface Restoring extends RestoreRequest, CommandContext, Pick<CommandFeatures, 'files' | 'ALL_CHECKS'> {
  manifest: Manifest;
  filesUrl: string;
}

/** Gives the file its name at the end, so that no server opens a part. */
async function restoreFile(path: string, restoring: Restoring): Promise<CheckReport | null> {
  makeFolder(dirname(resolve(path)));
  const incomplete = `${path}.incomplete`;
  const remove = (ends: readonly string[]) =>
    Promise.all(ends.map((end) => rm(incomplete + end, { force: true }))).then(() => {});
  try {
    await remove(['', '-wal', '-shm']);
    const report = await restoreInto(`file:${incomplete}`, restoring);
    await remove(['-wal', '-shm']);
    if (report?.isSound !== false) {
      await requireEmptyDatabase(`file:${path}`);
      await rename(incomplete, path);
    }
    return report;
  } finally {
    await remove(['', '-wal', '-shm']);
  }
}

/** @returns null without a check of the rows */
async function restoreInto(
  databaseUrl: string,
  { source, migrate, manifest, filesUrl, terminal, files, ALL_CHECKS }: Restoring,
): Promise<CheckReport | null> {
  const copied = new CheckReport();
  await copyFromBackup(parseDatabaseUrl(databaseUrl), join(source, manifest.database.name), copied);
  if (!copied.isSound) return copied;
  const { connection } = await connect(databaseUrl, {
    migrate,
    isChecked: !migrate,
    isReadOnly: !migrate,
  });
  let storage: FileStorage | undefined;
  try {
    const contents = await files.contents({ databaseUrl, filesUrl, connection });
    storage = contents;
    if (manifest.contents !== null) await restoreContents(files.records(connection), contents, { source, filesUrl });
    if (!migrate) return null;
    return await withProgress(terminal.progress, { unit: 'rows' }, async (update) => {
      const report = await checkDatabase(connection, ALL_CHECKS, update);
      await checkContents(files.records(connection), contents, report);
      return report;
    });
  } finally {
    storage?.close?.();
    await connection.close();
  }
}

/** Leaves out contents that no row of the database has: they arrived or were removed during the backup. */
async function restoreContents(
  records: FileRecords,
  contents: FileStorage,
  { source, filesUrl }: { source: string; filesUrl: string },
): Promise<void> {
  for await (const keys of contents.keys?.() ?? []) {
    if (keys.length > 0) throw new Error(`FILES_URL ${filesUrl} has contents: restore into an empty folder or bucket`);
  }
  for await (const files of records.inSteps()) {
    for (const { storageKey, size } of files) {
      const path = join(source, CONTENTS, storageKey);
      // The check reports one that was missing when the backup was made.
      if (existsSync(path)) await contents.put(storageKey, path, size);
    }
  }
}
