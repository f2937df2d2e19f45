/** A connection of a copy whose failures name the database. */
import type { FileRecords } from '../../conversation/files/file-records.js';
import type { ContentsOptions, FileService } from '../../file-service.js';
import type { FileStorage } from '../../files/file-storage.js';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import type { Connection } from '../../database/connection/connection.js';
import { driverMessage } from '../../database/dialects/driver-error.js';
import { longReads } from '../../database/connection/long-reads.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';
import { existsSync, statSync } from 'node:fs';
import { type DatabaseUrl, parseDatabaseUrl } from '../../database/connection/database-url.js';
import { connect } from '../../database/opening/open.js';

export interface Side extends Connection {
  /** Its URL without secrets. */
  readonly shown: string;
  /** Opens the storage of its files, or returns the open one. */
  contents(): Promise<FileStorage>;
  readonly files: FileRecords;
}

export class SideError extends Error {
  constructor(
    readonly side: Pick<Side, 'shown'>,
    /** Whether the database is no longer usable. */
    readonly isUnavailable: boolean,
    /** In one line. */
    readonly reason: string,
    cause: unknown,
  ) {
    super(`${side.shown}: ${reason}`, { cause });
  }
}

export function sideOf(
  connection: Connection,
  shown: string,
  service: FileService,
  contentsOf: Pick<ContentsOptions, 'databaseUrl' | 'filesUrl' | 'isReadOnly'>,
): Side {
  const explain = (error: unknown): never => {
    // A read of one database inside the other's transaction is wrapped by the latter.
    throw knownCause(error) ?? sideError(error);
  };
  const sideError = (error: unknown) => {
    const isUnavailable = error instanceof DatabaseUnavailableError || connection.sql.failure(error) === 'unavailable';
    return new SideError({ shown }, isUnavailable, driverMessage(error), error);
  };
  let contents: Promise<FileStorage> | undefined;
  const side: Connection = {
    sql: connection.sql,
    scope: connection.scope,
    read: (query) => connection.read(query).catch(explain),
    long: longReads((statement) => connection.long.rows<never>(statement).catch(explain)),
    write: (key, work) => connection.write(key, work).catch(explain),
    close: async () => {
      (await contents?.catch(() => undefined))?.close?.();
      await connection.close();
    },
  };
  return {
    ...side,
    shown,
    files: service.records(side),
    contents: () => (contents ??= service.contents({ ...contentsOf, connection })),
  };
}

function knownCause(error: unknown): SideError | CopyFault | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof SideError || at instanceof CopyFault) return at;
  }
  return null;
}

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
