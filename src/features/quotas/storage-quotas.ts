/**
 * The bytes of chats and files by user, against the storage quota. A sum is read, kept in memory, and read again some
 * seconds later: until then, changes of this process are added, and those of other servers are not known.
 */
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import { chatBytes, isNearQuota, StorageQuotaError, type LimitedUse, type StorageUse } from './storage-use.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection, Queryable } from '../../database/connection/connection.js';
import { replaceRow } from '../../database/connection/retry-duplicate.js';
import { UnpreparedError } from '../../database/change-hooks.js';
import { storageStatements } from './statements.js';

/** A sum is read again after this time. */
const MAX_AGE_MS = 60_000;
/** The same from four fifths of the quota on. */
const MAX_AGE_NEAR_MS = 5_000;
/** A refusal needs a sum of at most this age. */
const REFUSAL_MAX_AGE_MS = 1_000;
const MAX_KNOWN_USERS = 10_000;

/** Their metadata has up to 64 KiB each. */
const CHATS_PER_READ = 100;
const MESSAGES_PER_READ = 1_000;

interface KnownUse extends LimitedUse {
  /** With draftBytes. */
  usedBytes: number;
  /** The bytes of open drafts, as of the read. */
  draftBytes: number;
  readAt: number;
  /** Whether the log has the warning. */
  readonly isWarned: boolean;
}

/** PostgreSQL and SQL Server return BIGINT as text. */
interface Bytes {
  bytes: number | string | null;
}

type UncountedChat = Omit<Row<'chat_storage'>, 'chatBytes'> & Pick<Row<'chats'>, 'title' | 'metadata'>;

/** The value of a statement with one row { bytes }. */
export async function sumOf(db: Pick<Queryable, 'rows'>, statement: Sql): Promise<number> {
  const [row] = await db.rows<Bytes>(statement);
  return Number(row?.bytes ?? 0);
}

interface Addition {
  /** The size of a file. A change of messages needs one free byte. */
  bytes?: number;
  /** The user of the change. The owner by default. */
  actorId?: string;
  /** Accepts a sum of any age: it was read for this change. */
  isRead?: boolean;
  /** The open drafts, read for this change. */
  draftBytes?: number;
}

/** The key of an UnpreparedError. */
export function keyOf(userId: string): string {
  return `the storage of user "${userId}"`;
}

export class StorageQuotas {
  readonly sql: ReturnType<typeof storageStatements>;
  readonly #known = new LRUCache<string, KnownUse>({ max: MAX_KNOWN_USERS });
  readonly #reading = new Map<string, Promise<StorageUse>>();

  /** @param quotaBytes of users without a quota of their own; null for no quotas at all */
  constructor(
    private readonly connection: Pick<Connection, 'sql' | 'read' | 'write' | 'scope'>,
    readonly quotaBytes: number | null,
  ) {
    this.sql = storageStatements(connection.sql.differences);
  }

  /**
   * @throws StorageQuotaError; UnpreparedError when `use` must be called first
   */
  check(userId: string, addition: Addition = {}): LimitedUse {
    const known = this.#known.get(userId);
    if (known === undefined) throw this.#unread(userId);
    const { bytes = 1, actorId = userId, isRead = false, draftBytes = known.draftBytes } = addition;
    const { quotaBytes, readAt } = known;
    const usedBytes = known.usedBytes - known.draftBytes + draftBytes;
    const isFull = usedBytes + bytes > quotaBytes;
    const maxAge = isFull ? REFUSAL_MAX_AGE_MS : isNearQuota(known) ? MAX_AGE_NEAR_MS : MAX_AGE_MS;
    if (!isRead && performance.now() - readAt > maxAge) throw this.#unread(userId);
    if (isFull) throw new StorageQuotaError(actorId === userId ? { usedBytes, quotaBytes, bytes } : null);
    return known;
  }

  /**
   * The same, and reads the use first where needed.
   * @param bytes of a file
   * @throws StorageQuotaError
   */
  async admit(userId: string, bytes = 1): Promise<LimitedUse> {
    for (let isRead = false; ; isRead = true) {
      try {
        return this.check(userId, { bytes, isRead });
      } catch (error) {
        if (!(error instanceof UnpreparedError)) throw error;
        await error.prepare();
      }
    }
  }

  #unread(userId: string): UnpreparedError {
    return new UnpreparedError(keyOf(userId), () => this.use(userId));
  }

  /** Adds committed bytes to the known use of the owner. */
  add(userId: string, bytes: number): void {
    const known = this.#known.get(userId);
    if (known !== undefined) known.usedBytes += bytes;
  }

  /** Removes an ended draft from the known use of the owner. */
  endDraft(userId: string, bytes: number): void {
    const known = this.#known.get(userId);
    if (known === undefined) return;
    // It may have grown since the read.
    const counted = Math.min(bytes, known.draftBytes);
    known.usedBytes -= counted;
    known.draftBytes -= counted;
  }

  /** The next change reads the use of the user again. */
  forget(userId: string): void {
    const known = this.#known.get(userId);
    if (known !== undefined) known.readAt = -Infinity;
    this.#reading.delete(userId);
  }

  /** The use of a user as stored now. Concurrent callers share a read. */
  use(userId: string): Promise<StorageUse> {
    const running = this.#reading.get(userId);
    if (running !== undefined) return running;
    const isNewest = () => this.#reading.get(userId) === reading;
    const reading = this.#readUse(userId)
      .then(({ draftBytes, ...use }) => {
        if (isNewest()) this.#note(userId, use, draftBytes);
        return use;
      })
      .finally(() => isNewest() && this.#reading.delete(userId));
    this.#reading.set(userId, reading);
    return reading;
  }

  /** Sets the quota of a user; null removes it. Other servers learn of it within a minute. */
  async setQuota(userId: string, quotaBytes: number | null): Promise<void> {
    const { sql } = this;
    await replaceRow(this.connection, `storage ${userId}`, {
      remove: sql.deleteStorageQuotaOf(userId),
      insert: quotaBytes === null ? null : sql.insertStorageQuotas([{ userId, quotaBytes }]),
    });
    this.forget(userId);
  }

  async #readUse(userId: string): Promise<StorageUse & { draftBytes: number }> {
    const { sql } = this;
    const { read } = this.connection;
    await this.#countChats(userId);
    const sum = (statement: Sql) => read((db) => sumOf(db, statement));
    const draftBytes = await sum(sql.draftBytesOf(userId));
    let otherBytes = 0;
    for (const { storedBytes } of this.connection.scope.hooks)
      if (storedBytes !== undefined) otherBytes += await sum(storedBytes(userId));
    return {
      usedBytes: (await sum(sql.storedBytesOf(userId))) + draftBytes + otherBytes,
      draftBytes,
      quotaBytes: this.quotaBytes === null ? null : ((await this.#ownQuota(userId)) ?? this.quotaBytes),
    };
  }

  async #ownQuota(userId: string): Promise<number | null> {
    const { sql } = this;
    const { read } = this.connection;
    const [row] = await read((db) => db.rows<{ quotaBytes: number | string }>(sql.storageQuotaOf(userId)));
    return row === undefined ? null : Number(row.quotaBytes);
  }

  /** Counts the messages that any server has written since the last count, chat by chat. */
  async #countChats(userId: string): Promise<void> {
    const { sql } = this;
    const { read } = this.connection;
    for (let after = '', isDone = false; !isDone;) {
      const chats = await read((db) => db.rows<UncountedChat>(sql.uncountedChats(userId, after, CHATS_PER_READ)));
      for (const chat of chats) await this.#countChat(chat);
      after = chats.at(-1)?.chatId ?? '';
      isDone = chats.length < CHATS_PER_READ;
    }
  }

  /** Messages of a chat are never changed, and get ascending seqs: the sum up to a seq stays right. */
  async #countChat({ chatId, version, title, metadata, ...counted }: UncountedChat): Promise<void> {
    const { sql } = this;
    const { read } = this.connection;
    const ofChat = chatBytes({ title, metadata: this.connection.sql.metadata(metadata) });
    let [{ seq }, bytes] = [counted, Number(counted.bytes)];
    for (let isWhole = false; !isWhole;) {
      const last = seq + MESSAGES_PER_READ;
      const [sum] = await read((db) =>
        db.rows<Bytes & { lastSeq: number | null }>(sql.messageBytes(chatId, seq, last)),
      );
      bytes += Number(sum?.bytes ?? 0);
      seq = sum?.lastSeq ?? seq;
      isWhole = seq < last;
    }
    await replaceRow(this.connection, `storage ${chatId}`, {
      remove: sql.deleteStorageOf(chatId),
      insert: sql.insertStorage({ chatId, version, seq, bytes, chatBytes: ofChat }),
    });
  }

  #note(userId: string, { usedBytes, quotaBytes }: StorageUse, draftBytes: number): void {
    if (quotaBytes === null) return;
    const isNear = isNearQuota({ usedBytes, quotaBytes });
    const wasWarned = this.#known.get(userId)?.isWarned ?? false;
    this.#known.set(userId, { usedBytes, draftBytes, quotaBytes, readAt: performance.now(), isWarned: isNear });
    if (!isNear || wasWarned) return;
    this.connection.scope.warn(`User "${userId}" stores ${usedBytes} of ${quotaBytes} bytes (STORAGE_QUOTA_BYTES)`);
  }
}
