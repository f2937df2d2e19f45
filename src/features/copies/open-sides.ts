/** The two open databases of a copy. */
import { existsSync, statSync } from 'node:fs';
import { type DatabaseUrl, parseDatabaseUrl } from '../../database/connection/database-url.js';
import type { FileService } from '../../file-service.js';
import { connect } from '../../database/opening/open.js';
import { sideOf, type Side } from './side.js';

export interface Sides {
  /** Opened read-only. */
  source: Side;
  /** Migrated, and created if missing. */
  target: Side;
  close(): Promise<void>;
}

/** FILES_URL of each side, with the same default as a server. */
export interface FilesUrls {
  filesFrom?: string | undefined;
  filesTo?: string | undefined;
}

/**
 * @param from the URL of a migrated database
 * @throws Error of one line, without passwords, when one cannot be used or both are the same
 */
export async function openSides(
  from: string,
  to: string,
  files: FileService,
  { filesFrom, filesTo }: FilesUrls = {},
): Promise<Sides> {
  const [fromUrl, toUrl] = [parseDatabaseUrl(from), parseDatabaseUrl(to)];
  if (fromUrl.provider === 'sqlite' && !existsSync(fromUrl.path)) {
    throw new Error(`Cannot use the database ${fromUrl.shown}: the file does not exist`);
  }
  const open: Side[] = [];
  const close = async () => void (await Promise.all(open.map((side) => side.close())));
  try {
    const source = sideOf(
      (await connect(from, { migrate: false, isReadOnly: true })).connection,
      fromUrl.shown,
      files,
      { databaseUrl: from, filesUrl: filesFrom, isReadOnly: true },
    );
    open.push(source);
    const { connection } = await connect(to, { migrate: true });
    const target = sideOf(connection, toUrl.shown, files, { databaseUrl: to, filesUrl: filesTo });
    open.push(target);
    if ((await identity(fromUrl, source)) === (await identity(toUrl, target))) {
      throw new Error(`${toUrl.shown} is both source and target; copy to another database`);
    }
    return { source, target, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A value unique to the database, and the same for every URL of it. */
async function identity({ provider }: DatabaseUrl, { sql, read }: Side): Promise<string> {
  const [row] = await read((db) => db.rows<{ identity: string }>(sql.identity()));
  if (row === undefined) throw new Error('a database without an identity');
  if (provider !== 'sqlite') return `${provider} ${row.identity}`;
  // A file may have several names.
  const { dev, ino } = statSync(row.identity, { bigint: true });
  return `${provider} ${dev} ${ino}`;
}
