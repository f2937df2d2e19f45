/** The records of stored files in SQL. docs/adr/0023-files.md explains the order of writes. */
import type { Sql } from 'sql-template-tag';
import { admit, noteStored, type CheckBytes } from '../../../database/change-hooks.js';
import type {
  FileInMessage,
  FileRecord,
  FileRecords,
  ReadableFile,
  FileOfUser,
  StoredFile,
} from '../../../conversation/files/file-records.js';
import type { Viewer } from '../../../conversation/model.js';
import { mayAccess, onlyChatOf } from '../../../conversation/access/ownership.js';
import { DELETED_OWNER } from '../../../database/dialects/base/fragments.js';
import type { Connection } from '../../../database/connection/connection.js';
import { retryDuplicate } from '../../../database/connection/retry-duplicate.js';
import { fileStatements, type FileStatements } from '../statements.js';
import { checkUserFiles, useFiles } from './use-files.js';

/** The write-queue key of these transactions. */
const KEY = 'files';
const ROWS_PER_STEP = 500;
/** An upload must end this long before its content may be removed: clocks differ between servers. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Milliseconds that the storage of a content may take. */
const ANNOUNCED_FOR_MS = 24 * 60 * 60_000;

/** SQL Server returns BIGINT as text. */
interface Bytes {
  bytes: number | string;
}

interface FileRecordOptions {
  /** Milliseconds that files stay without a message. @default forever */
  unusedForMs?: number;
  /** @default Date.now */
  now?: () => number;
}

export interface AddOptions {
  /** Bytes of all files of the user. @default Infinity */
  maxUserBytes?: number;
  /** The key of the file's content when the storage has lost it: the new content takes its place. */
  lostKey?: string | null;
}

/**
 * - STORED: the file is new
 * - SHARED: the file exists; the new copy replaces its lost content, or is left for removal
 * - EXPIRED: the announcement has expired; the content may have been removed
 * - OVER_LIMIT: the user would have too many bytes; the content is left for removal
 */
export type AddOutcome = 'STORED' | 'SHARED' | 'EXPIRED' | 'OVER_LIMIT';

/** The position of a sweep through all rows. */
export interface SweepPosition extends FileOfUser {
  table: 'user_files' | 'files';
}

export class DatabaseFileRecords implements FileRecords {
  readonly #db: Pick<Connection, 'read' | 'write' | 'long'> & { sql: FileStatements };

  constructor(
    private readonly connection: Connection,
    private readonly options: FileRecordOptions = {},
  ) {
    this.#db = { ...connection, sql: fileStatements(connection.sql.differences) };
  }

  /** Bytes of the files of a user. */
  async bytesOfUser(userId: string): Promise<number> {
    const [row] = await this.#db.read((db) => db.rows<Bytes>(this.#db.sql.bytesOfUser(userId)));
    return Number(row?.bytes ?? 0);
  }

  /**
   * Refuses a file beyond the storage quota of the user.
   * @returns the stored bytes; null without quotas
   * @throws RefusalError
   */
  admit(userId: string, size: number): Promise<CheckBytes> {
    return admit(this.connection, userId, size);
  }

  /** Bytes of all files. It reads all rows. */
  async bytesOfAll(): Promise<number> {
    const [row] = await this.#db.long.rows<Bytes>(this.#db.sql.bytesOfFiles());
    return Number(row?.bytes ?? 0);
  }

  /** The content of a file, without regard to rights; null for an unknown file. */
  async contentOf(fileId: string): Promise<StoredFile | null> {
    const [file] = await this.stored([fileId]);
    return file ?? null;
  }

  /** Whether the user has the file, by uploading it or in a chat. */
  async has(userId: string, fileId: string): Promise<boolean> {
    const { sql, read } = this.#db;
    return (await read((db) => db.rows(sql.filesOfUsers([userId], [fileId])))).length > 0;
  }

  /** The same, and keeps the file from the next sweeps. */
  async keep(userId: string, fileId: string): Promise<boolean> {
    const { sql, write } = this.#db;
    return write(KEY, async (tx) => {
      // The hash of a foreign file must not keep it from its removal.
      if ((await tx.rows(sql.filesOfUsers([userId], [fileId]))).length === 0) return false;
      const now = this.#now();
      await tx.run(sql.markFilesUsed([fileId], now));
      return (await tx.run(sql.markUserFilesUsed(userId, [fileId], now))) > 0;
    });
  }

  async announce(storageKey: string): Promise<void> {
    const { sql, write } = this.#db;
    const removeAfter = this.#now() + ANNOUNCED_FOR_MS;
    await write(KEY, (tx) => tx.run(sql.insertRemoval({ storageKey, removeAfter })));
  }

  async add(userId: string, file: StoredFile, options: AddOptions = {}): Promise<AddOutcome> {
    // Another upload may add the same content meanwhile.
    const outcome = await retryDuplicate(this.connection, () => this.#add(userId, file, options));
    noteStored(this.connection, userId);
    return outcome;
  }

  #add(userId: string, file: StoredFile, { maxUserBytes = Infinity, lostKey = null }: AddOptions): Promise<AddOutcome> {
    const { sql, write } = this.#db;
    const { id, size, storageKey } = file;
    return write(KEY, async (tx) => {
      const now = this.#now();
      if (maxUserBytes !== Infinity && (await tx.rows(sql.filesOfUsers([userId], [id]))).length === 0) {
        const [use] = await tx.rows<Bytes>(sql.bytesOfUser(userId));
        if (Number(use?.bytes ?? 0) + size > maxUserBytes) {
          await tx.run(sql.hastenRemoval(storageKey, now));
          return 'OVER_LIMIT';
        }
      }
      const exists = (await tx.run(sql.markFilesUsed([id], now))) > 0;
      if (exists && lostKey === null) {
        await tx.run(sql.hastenRemoval(storageKey, now));
      } else {
        const withdrawn = await tx.run(sql.withdrawRemoval(storageKey, now + CLOCK_TOLERANCE_MS));
        if (withdrawn === 0) return 'EXPIRED';
        if (!exists) await tx.run(sql.insertFile({ ...file, createdAt: now, usedAt: now }));
        else if (lostKey !== null) {
          // Two uploads can replace it at once: the first one succeeds.
          const isReplaced = (await tx.run(sql.replaceContent(id, { lostKey, storageKey }))) > 0;
          await tx.run(sql.insertRemoval({ storageKey: isReplaced ? lostKey : storageKey, removeAfter: now }));
        }
      }
      await useFiles(tx, sql, userId, [id], now);
      return exists ? 'SHARED' : 'STORED';
    });
  }

  /**
   * The file, if the viewer may read a message that contains it.
   * @param messageId one such message; null: any
   */
  async readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null> {
    if (messageId !== null) return (await this.readableIn(viewer, [{ fileId, messageId }]))[0] ?? null;
    const { sql, read } = this.#db;
    const { userId, isAdmin } = viewer;
    const chatId = onlyChatOf(viewer);
    const [found] = await read(async (db) => {
      const own = await db.rows<ReadableFile>(sql.fileInAnyMessage(fileId, isAdmin ? null : userId, chatId));
      return isAdmin || own.length > 0 ? own : db.rows<ReadableFile>(sql.fileInSharedChat(fileId, userId, chatId));
    });
    return found !== undefined && isReadable(viewer, found) ? found : null;
  }

  /** The same for many messages, in their order. */
  async readableIn(viewer: Viewer, keys: readonly FileInMessage[]): Promise<(ReadableFile | null)[]> {
    const { sql, read } = this.#db;
    const rows = await read((db) => db.rows<ReadableFile & { n: number }>(sql.filesInMessages(keys)));
    const found = keys.map((): ReadableFile | null => null);
    for (const { n, ...file } of rows) if (isReadable(viewer, file)) found[n] ??= file;
    return found;
  }

  /**
   * Deletes rows of files that nothing has used for a time, from a bounded number of rows after a position. Their
   * contents are left for removal.
   * @returns the position for the next call; null at the end
   */
  async sweep(after: SweepPosition | null): Promise<SweepPosition | null> {
    const position = after ?? { table: 'user_files', userId: '', fileId: '' };
    return position.table === 'user_files' ? this.#sweepUsers(position) : this.#sweepFiles(position);
  }

  async #sweepUsers({ userId, fileId }: SweepPosition): Promise<SweepPosition> {
    const { sql, read, write } = this.#db;
    const before = this.#now() - (this.options.unusedForMs ?? Infinity);
    const keys = await read((db) => db.rows<FileOfUser>(sql.userFilesAfter(userId, fileId, ROWS_PER_STEP)));
    const unused = keys.length === 0 ? [] : await read((db) => db.rows<FileOfUser>(sql.unusedUserFiles(keys, before)));
    if (unused.length > 0) {
      await write(KEY, async (tx) => {
        for (const key of unused) {
          await tx.run(sql.lockUserFile(key.userId, key.fileId));
          await tx.run(sql.deleteUnusedUserFile(key.userId, key.fileId, before));
        }
      });
    }
    const last = keys.length < ROWS_PER_STEP ? undefined : keys.at(-1);
    return last === undefined ? { table: 'files', userId: '', fileId: '' } : { table: 'user_files', ...last };
  }

  async #sweepFiles({ fileId }: SweepPosition): Promise<SweepPosition | null> {
    const { sql, read, write } = this.#db;
    const now = this.#now();
    const before = now - (this.options.unusedForMs ?? Infinity);
    const files = await read((db) => db.rows<{ id: string }>(sql.filesAfter(fileId, ROWS_PER_STEP)));
    const ids = files.map(({ id }) => id);
    type Unused = Pick<FileRecord, 'id' | 'storageKey'>;
    const unused = ids.length === 0 ? [] : await read((db) => db.rows<Unused>(sql.unusedFiles(ids, before)));
    for (const { id, storageKey } of unused) {
      await write(KEY, async (tx) => {
        // An upload or a save that has meanwhile used the file changed its time, under the lock of its row.
        await tx.run(sql.lockFile(id));
        if ((await tx.run(sql.deleteUnusedFile(id, before))) === 0) return;
        await tx.run(sql.insertRemoval({ storageKey, removeAfter: now }));
      });
    }
    const last = ids.length < ROWS_PER_STEP ? undefined : ids.at(-1);
    return last === undefined ? null : { table: 'files', userId: '', fileId: last };
  }

  /** The keys of contents to remove now, at most `limit`. */
  async removable(limit: number): Promise<string[]> {
    const { sql, read } = this.#db;
    const due = await read((db) => db.rows<{ storageKey: string }>(sql.dueRemovals(this.#now(), limit)));
    return due.map(({ storageKey }) => storageKey);
  }

  /** Forgets a key after its content was removed. */
  async forget(storageKey: string): Promise<void> {
    const { sql, write } = this.#db;
    await write(KEY, (tx) => tx.run(sql.deleteRemoval(storageKey)));
  }

  stored(fileIds: readonly string[]): Promise<StoredFile[]> {
    const { sql, read } = this.#db;
    return read((db) => db.rows<StoredFile>(sql.filesById(fileIds)));
  }

  async *inSteps(): AsyncGenerator<StoredFile[]> {
    for await (const files of this.#pages({ id: '' }, ({ id }) => this.#db.sql.filesAfter(id, ROWS_PER_STEP))) {
      yield await this.stored(files.map(({ id }) => id));
    }
  }

  ofChat(chatId: string): AsyncGenerator<Pick<FileOfUser, 'fileId'>[]> {
    return this.#pages({ fileId: '' }, ({ fileId }) => this.#db.sql.filesOfChat(chatId, fileId, ROWS_PER_STEP));
  }

  ofUsers(): AsyncGenerator<FileOfUser[]> {
    const first = { userId: '', fileId: '' };
    return this.#pages(first, ({ userId, fileId }) => this.#db.sql.userFilesAfter(userId, fileId, ROWS_PER_STEP));
  }

  /** All rows in steps, from one before the first. */
  async *#pages<Row extends object>(before: Row, page: (after: Row) => Sql): AsyncGenerator<Row[]> {
    for (let last: Row | undefined = before; last !== undefined;) {
      const after: Row = last;
      const rows: Row[] = await this.#db.read((db) => db.rows<Row>(page(after)));
      if (rows.length > 0) yield rows;
      last = rows.length < ROWS_PER_STEP ? undefined : rows.at(-1);
    }
  }

  /** Gives existing files to a user. @throws InvalidInputError beyond the limit */
  async give(userId: string, fileIds: readonly string[], maxUserFileBytes: number): Promise<void> {
    const { sql, write } = this.#db;
    for (let start = 0; start < fileIds.length; start += ROWS_PER_STEP) {
      await write(`files of ${userId}`, async (tx) => {
        await useFiles(tx, sql, userId, fileIds.slice(start, start + ROWS_PER_STEP));
        await checkUserFiles(tx, sql, userId, maxUserFileBytes);
      });
    }
  }

  async use(userId: string, fileIds: readonly string[]): Promise<void> {
    const { sql, write } = this.#db;
    await write(KEY, (tx) => useFiles(tx, sql, userId, fileIds));
  }

  async unknownKeys(keys: readonly string[]): Promise<string[]> {
    if (keys.length === 0) return [];
    const { sql, read } = this.#db;
    const rows = await read((db) => db.rows<{ storageKey: string }>(sql.knownKeys(keys)));
    const known = new Set(rows.map(({ storageKey }) => storageKey));
    return keys.filter((key) => !known.has(key));
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

const isReadable = (viewer: Viewer, file: ReadableFile): boolean =>
  file.userId !== DELETED_OWNER && mayAccess(viewer, { ...file, id: file.chatId });
