/** A connection of a copy whose failures name the database. */
import type { FileRecords } from '../../conversation/files/file-records.js';
import type { ContentsOptions, FileService } from '../../file-service.js';
import type { FileStorage } from '../../files/file-storage.js';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import type { Connection } from '../../database/connection/connection.js';
import { driverMessage } from '../../database/dialects/driver-error.js';
import { longReads } from '../../database/connection/long-reads.js';
import { CopyFault } from '../../database/whole-chats/copy-fault.js';

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
