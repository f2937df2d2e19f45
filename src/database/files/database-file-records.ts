/** The records of stored files in SQL. docs/adr/0023-files.md explains the order of writes. */
import type {
  FileRecord,
  FileRecords,
  FileUse,
  ReadableFile,
  SweepPosition,
} from '../../conversation/files/file-records.js';
import type { Viewer } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/ownership.js';
import { DELETED_OWNER } from '../dialects/base/fragments.js';
import type { Connection } from '../opening/connection.js';
import { useFiles } from './use-files.js';

/** The write-queue key of these transactions. */
const KEY = 'files';
const ROWS_PER_STEP = 500;
/** An upload must end this long before its content may be removed: clocks differ between servers. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Milliseconds that the storage of a content may take. */
const ANNOUNCED_FOR_MS = 24 * 60 * 60_000;

type OwnedFile = ReadableFile & { userId: string };

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

  async use(userId: string): Promise<FileUse> {
    const { sql, read } = this.connection;
    const [ofUser] = await read((db) => db.rows<{ bytes: number }>(sql.bytesOfUser(userId)));
    const [ofAll] = await read((db) => db.rows<{ bytes: number }>(sql.bytesOfFiles()));
    return { ofUser: ofUser?.bytes ?? 0, ofAll: ofAll?.bytes ?? 0 };
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

  async add(userId: string, file: Omit<FileRecord, 'createdAt' | 'usedAt'>): Promise<boolean> {
    try {
      return await this.#add(userId, file);
    } catch (error) {
      if (this.connection.sql.failure(error) !== 'duplicate') throw error;
      // Another upload added the same content meanwhile.
      return this.#add(userId, file);
    }
  }

  #add(userId: string, file: Omit<FileRecord, 'createdAt' | 'usedAt'>): Promise<boolean> {
    const { sql, write } = this.connection;
    return write(KEY, async (tx) => {
      const now = this.#now();
      if ((await tx.run(sql.markFilesUsed([file.id], now))) > 0) {
        await tx.run(sql.hastenRemoval(file.storageKey, now));
      } else {
        const withdrawn = await tx.run(sql.withdrawRemoval(file.storageKey, now + CLOCK_TOLERANCE_MS));
        if (withdrawn === 0) return false;
        await tx.run(sql.insertFile({ ...file, createdAt: now, usedAt: now }));
      }
      await useFiles(tx, sql, userId, [file.id], now);
      return true;
    });
  }

  async readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null> {
    const { sql, read } = this.connection;
    const statement =
      messageId === null
        ? sql.fileInAnyMessage(fileId, viewer.isAdmin ? null : viewer.userId)
        : sql.fileOfMessage(fileId, messageId);
    const [found] = await read((db) => db.rows<OwnedFile>(statement));
    if (found === undefined || found.userId === DELETED_OWNER || !mayAccess(viewer, found)) return null;
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
        for (const key of unused) await tx.run(sql.deleteUnusedUserFile(key.userId, key.fileId, before));
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
