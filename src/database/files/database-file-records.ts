/** The records of stored files in SQL. docs/adr/0023-files.md explains the order of writes. */
import { admit, noteStored, type CheckBytes } from '../change-hooks.js';
import type {
  AddOptions,
  AddOutcome,
  FileInMessage,
  FileRecord,
  FileRecords,
  ReadableFile,
  StoredContent,
  SweepPosition,
} from '../../conversation/files/file-records.js';
import type { Viewer } from '../../conversation/model.js';
import { mayAccess, onlyChatOf } from '../../conversation/members/ownership.js';
import { DELETED_OWNER } from '../dialects/base/fragments.js';
import type { Connection } from '../connection/connection.js';
import { retryDuplicate } from '../connection/retry-duplicate.js';
import { storedFiles } from './stored-files.js';
import { useFiles } from './use-files.js';

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

type NewFile = Omit<FileRecord, 'createdAt' | 'usedAt'>;

export interface FileRecordOptions {
  /** Milliseconds that files stay without a message. */
  unusedForMs: number;
  /** @default Date.now */
  now?: () => number;
}

export class DatabaseFileRecords implements FileRecords {
  constructor(
    private readonly connection: Connection,
    private readonly options: FileRecordOptions,
  ) {}

  async bytesOfUser(userId: string): Promise<number> {
    const [row] = await this.connection.read((db) => db.rows<Bytes>(this.connection.sql.bytesOfUser(userId)));
    return Number(row?.bytes ?? 0);
  }

  admit(userId: string, size: number): Promise<CheckBytes> {
    return admit(this.connection, userId, size);
  }

  async bytesOfAll(): Promise<number> {
    const [row] = await this.connection.long.rows<Bytes>(this.connection.sql.bytesOfFiles());
    return Number(row?.bytes ?? 0);
  }

  async contentOf(fileId: string): Promise<StoredContent | null> {
    const [file] = await storedFiles(this.connection, [fileId]);
    return file ?? null;
  }

  async has(userId: string, fileId: string): Promise<boolean> {
    const { sql, read } = this.connection;
    return (await read((db) => db.rows(sql.filesOfUsers([userId], [fileId])))).length > 0;
  }

  async keep(userId: string, fileId: string): Promise<boolean> {
    const { sql, write } = this.connection;
    return write(KEY, async (tx) => {
      // The hash of a foreign file must not keep it from its removal.
      if ((await tx.rows(sql.filesOfUsers([userId], [fileId]))).length === 0) return false;
      const now = this.#now();
      await tx.run(sql.markFilesUsed([fileId], now));
      return (await tx.run(sql.markUserFilesUsed(userId, [fileId], now))) > 0;
    });
  }

  async announce(storageKey: string): Promise<void> {
    const { sql, write } = this.connection;
    const removeAfter = this.#now() + ANNOUNCED_FOR_MS;
    await write(KEY, (tx) => tx.run(sql.insertRemoval({ storageKey, removeAfter })));
  }

  async add(userId: string, file: NewFile, options: AddOptions = {}): Promise<AddOutcome> {
    // Another upload may add the same content meanwhile.
    const outcome = await retryDuplicate(this.connection, () => this.#add(userId, file, options));
    noteStored(this.connection, userId);
    return outcome;
  }

  #add(userId: string, file: NewFile, { maxUserBytes = Infinity, lostKey = null }: AddOptions): Promise<AddOutcome> {
    const { sql, write } = this.connection;
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

  async readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null> {
    if (messageId !== null) return (await this.readableIn(viewer, [{ fileId, messageId }]))[0] ?? null;
    const { sql, read } = this.connection;
    const { userId, isAdmin } = viewer;
    const chatId = onlyChatOf(viewer);
    const [found] = await read(async (db) => {
      const own = await db.rows<ReadableFile>(sql.fileInAnyMessage(fileId, isAdmin ? null : userId, chatId));
      return isAdmin || own.length > 0 ? own : db.rows<ReadableFile>(sql.fileInSharedChat(fileId, userId, chatId));
    });
    return found !== undefined && isReadable(viewer, found) ? found : null;
  }

  async readableIn(viewer: Viewer, keys: readonly FileInMessage[]): Promise<(ReadableFile | null)[]> {
    const { sql, read } = this.connection;
    const rows = await read((db) => db.rows<ReadableFile & { n: number }>(sql.filesInMessages(keys)));
    const found = keys.map((): ReadableFile | null => null);
    for (const { n, ...file } of rows) if (isReadable(viewer, file)) found[n] ??= file;
    return found;
  }

  async sweep(after: SweepPosition | null): Promise<SweepPosition | null> {
    const position = after ?? { table: 'user_files', userId: '', fileId: '' };
    return position.table === 'user_files' ? this.#sweepUsers(position) : this.#sweepFiles(position);
  }

  async #sweepUsers({ userId, fileId }: SweepPosition): Promise<SweepPosition> {
    const { sql, read, write } = this.connection;
    const before = this.#now() - this.options.unusedForMs;
    type Key = Pick<SweepPosition, 'userId' | 'fileId'>;
    const keys = await read((db) => db.rows<Key>(sql.userFilesAfter(userId, fileId, ROWS_PER_STEP)));
    const unused = keys.length === 0 ? [] : await read((db) => db.rows<Key>(sql.unusedUserFiles(keys, before)));
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
    const { sql, read, write } = this.connection;
    const now = this.#now();
    const before = now - this.options.unusedForMs;
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

  async removable(limit: number): Promise<string[]> {
    const { sql, read } = this.connection;
    const due = await read((db) => db.rows<{ storageKey: string }>(sql.dueRemovals(this.#now(), limit)));
    return due.map(({ storageKey }) => storageKey);
  }

  async forget(storageKey: string): Promise<void> {
    const { sql, write } = this.connection;
    await write(KEY, (tx) => tx.run(sql.deleteRemoval(storageKey)));
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

const isReadable = (viewer: Viewer, file: ReadableFile): boolean =>
  file.userId !== DELETED_OWNER && mayAccess(viewer, { ...file, id: file.chatId });
