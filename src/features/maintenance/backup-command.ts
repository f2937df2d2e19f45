/** `parley backup`. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { readConfig } from '../../config.js';
import { checkDatabase } from './checking/check-database.js';
import { CheckReport } from './checking/check-report.js';
import { checkFileRows, verifiedSize } from './checking/content-check.js';
import { parseDatabaseUrl } from '../../database/connection/database-url.js';
import { connect } from '../../database/opening/open.js';
import { migrator } from '../../database/opening/migrator.js';
import { writeFailure } from '../../system/write-failure.js';
import { makeFolder } from '../../system/make-folder.js';
import { CopiedContents, writeContentList } from './backups/contents.js';
import { backupProvider, copyIntoBackup } from './backups/database-copy.js';
import { CONTENT_LIST, measured, writeManifest, type Manifest } from './backups/manifest.js';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { withProgress } from '../../command/progress-bar.js';

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };

const DESCRIPTION =
  'Writes a backup of the database of DATABASE_URL, and of the contents of files in the folder of FILES_URL, into the new folder ' +
  'TARGET, and checks it. Servers may run meanwhile: the backup is the state of one moment. PostgreSQL needs pg_dump and pg_restore on PATH.';

export const command: CommandDefinition<{ target: string }> = {
  define: (command) => command.description(DESCRIPTION).argument('<TARGET>', 'a folder that does not exist'),
  read: (_, [target = '']) => ({ target: resolve(target) }),
  run: async ({ target }, context) => {
    const isSound = await backUp(target, context);
    return isSound ? EXIT.done : EXIT.failed;
  },
};

async function backUp(target: string, context: CommandContext): Promise<boolean> {
  const { terminal, environment, features } = context;
  const { files } = await features();
  const { databaseUrl, filesUrl } = readConfig(environment);
  const url = parseDatabaseUrl(databaseUrl);
  backupProvider(url);
  const shown = existingDatabase(databaseUrl);
  const filesFrom = filesUrl ?? files.defaultUrl(databaseUrl);
  if (existsSync(target)) throw new Error(`${target} exists: give the name of a new folder`);
  // Only a complete backup has the name TARGET.
  const folder = `${target}.incomplete`;
  await createFolder(folder);
  try {
    const written = await writeBackup(folder, { databaseUrl, filesFrom }, context);
    await rename(folder, target);
    for (const line of summaryOf(written, { shown, target, filesFrom })) terminal.out(line);
    for (const line of written.findings.problems()) terminal.error(line);
    for (const key of written.damaged) terminal.error(`The content ${key} is damaged, and not in the backup.`);
    return written.findings.isSound && written.damaged.length === 0;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw writeFailure(error, folder);
  }
}

async function createFolder(folder: string): Promise<void> {
  try {
    makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailure(error, folder);
    throw new Error(`${folder} exists: another backup is running, or one was interrupted; then delete the folder`, {
      cause: error,
    });
  }
}

async function writeBackup(
  folder: string,
  { databaseUrl, filesFrom }: { databaseUrl: string; filesFrom: string },
  context: CommandContext,
): Promise<Written> {
  const url = parseDatabaseUrl(databaseUrl);
  const { files } = await context.features();
  const storage = filesFrom.startsWith('file:') ? await files.storage(filesFrom, true) : null;
  const copied = storage === null ? null : new CopiedContents(storage, folder);
  // Contents, the database, contents: a content that the copied database refers to was there before, or arrived
  // meanwhile. With one copy only, it could be removed before that copy, or arrive after it.
  await copied?.copyNew();
  const name = await withProgress(context.terminal.progress, { unit: 'pages' }, (update) =>
    copyIntoBackup(url, folder, update),
  );
  await copied?.copyNew();
  const checkedUrl = url.provider === 'sqlite' ? `file:${join(folder, name)}` : databaseUrl;
  const { migrations, findings } = await checkRows(checkedUrl, { filesFrom, copied }, context);
  for (const end of ['-wal', '-shm']) await rm(join(folder, name + end), { force: true });
  const database = await measured(folder, name);
  const contents = copied && (await listed(folder, copied));
  await writeManifest(folder, {
    writtenBy: version,
    provider: backupProvider(url),
    schema: url.provider === 'sqlite' ? null : url.schema,
    migrations,
    database,
    contents,
  });
  return { database, contents, findings, damaged: [...(copied?.damaged ?? [])] };
}

interface Written extends Pick<Manifest, 'database' | 'contents'> {
  /** The rows that a check of the restored backup would find, too. */
  findings: CheckReport;
  /** The keys of contents that were left out. */
  damaged: string[];
}

async function listed(folder: string, copied: CopiedContents): Promise<Manifest['contents']> {
  await writeContentList(folder, copied);
  const contentBytes = [...copied.bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
  return { ...(await measured(folder, CONTENT_LIST)), count: copied.bytes.size, contentBytes };
}

/**
 * Checks the rows of the copied file, or of the PostgreSQL database: a dump cannot be read row by row. A database that this
 * version must migrate first is not checked: that is the time for a backup.
 */
async function checkRows(
  checkedUrl: string,
  { filesFrom, copied }: { filesFrom: string; copied: CopiedContents | null },
  { terminal, features }: CommandContext,
): Promise<{ migrations: string[]; findings: CheckReport }> {
  const { connection } = await connect(checkedUrl, { migrate: false, isChecked: true, isReadOnly: true });
  try {
    const url = parseDatabaseUrl(checkedUrl);
    const { names, count } = await migrator();
    const migrations = await names(url, connection);
    const { applied, expected } = await count(url, connection);
    if (applied < expected) {
      terminal.out('The rows were not checked: the database lacks migrations of this version.');
      return { migrations, findings: new CheckReport() };
    }
    const { ALL_CHECKS, files } = await features();
    const findings = await withProgress(terminal.progress, { unit: 'rows' }, (update) =>
      checkDatabase(connection, ALL_CHECKS, update),
    );
    const records = files.records(connection);
    if (copied !== null) await checkFileRows(records, copied.readSize, findings);
    if (filesFrom === 'database') {
      const contents = await files.contents({ databaseUrl: checkedUrl, filesUrl: filesFrom, connection });
      await checkFileRows(records, verifiedSize(contents), findings);
    }
    return { migrations, findings };
  } finally {
    await connection.close();
  }
}

function summaryOf(
  { database, contents }: Written,
  { shown, target, filesFrom }: { shown: string; target: string; filesFrom: string },
): string[] {
  const [count, bytes] = [contents?.count, contents?.contentBytes];
  const files = count === undefined ? '' : `, and ${count} ${count === 1 ? 'file' : 'files'} with ${bytes} bytes`;
  const lines = [`${shown} was backed up to ${target}: a database of ${database.bytes} bytes${files}.`];
  if (filesFrom.startsWith('s3:')) {
    lines.push(
      'The contents of files are in a bucket, and not in the backup: use versions or replication of the bucket.',
    );
  }
  return lines;
}
