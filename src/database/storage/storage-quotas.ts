/**
 * The bytes of chats and files by user, against the storage quota. A sum is read, kept in memory, and read again some
 * seconds later: until then, changes of this process are added, and those of other servers are not known.
 */
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import { StorageQuotaError } from '../../conversation/errors.js';
import { chatBytes, isNearQuota, type LimitedUse, type StorageUse } from '../../conversation/policies/storage-use.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection, Queryable } from '../opening/connection.js';
import { replaceRow } from '../opening/retry-duplicate.js';
import { UnreadStorageError, type Addition, type StorageChecks } from './storage-checks.js';

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
export async function sumOf(db: Queryable, statement: Sql): Promise<number> {
  const [row] = await db.rows<Bytes>(statement);
  return Number(row?.bytes ?? 0);
}

export class StorageQuotas implements StorageChecks {
  readonly #known = new LRUCache<string, KnownUse>({ max: MAX_KNOWN_USERS });
  readonly #reading = new Map<string, Promise<StorageUse>>();

  /** @param quotaBytes of users without a quota of their own; null for no quotas at all */
  constructor(
    private readonly connection: Pick<Connection, 'sql' | 'read' | 'write' | 'warn'>,
    readonly quotaBytes: number | null,
  ) {}

  check(userId: string, addition: Addition = {}): LimitedUse | null {
    if (this.quotaBytes === null) return null;
    const known = this.#known.get(userId);
    if (known === undefined) throw new UnreadStorageError(userId);
    const { bytes = 1, actorId = userId, isRead = false, draftBytes = known.draftBytes } = addition;
    const { quotaBytes, readAt } = known;
    const usedBytes = known.usedBytes - known.draftBytes + draftBytes;
    const isFull = usedBytes + bytes > quotaBytes;
    const maxAge = isFull ? REFUSAL_MAX_AGE_MS : isNearQuota(known) ? MAX_AGE_NEAR_MS : MAX_AGE_MS;
    if (!isRead && performance.now() - readAt > maxAge) throw new UnreadStorageError(userId);
    if (isFull) throw new StorageQuotaError(actorId === userId ? { usedBytes, quotaBytes, bytes } : null);
    return known;
  }

  async admit(userId: string, bytes = 1): Promise<LimitedUse | null> {
    for (let isRead = false; ; isRead = true) {
      try {
        return this.check(userId, { bytes, isRead });
      } catch (error) {
        if (!(error instanceof UnreadStorageError)) throw error;
        await this.use(userId);
      }
    }
  }

  add(userId: string, bytes: number): void {
    const known = this.#known.get(userId);
    if (known !== undefined) known.usedBytes += bytes;
  }

  endDraft(userId: string, bytes: number): void {
    const known = this.#known.get(userId);
    if (known === undefined) return;
    // It may have grown since the read.
    const counted = Math.min(bytes, known.draftBytes);
    known.usedBytes -= counted;
    known.draftBytes -= counted;
  }

  forget(userId: string): void {
    const known = this.#known.get(userId);
    if (known !== undefined) known.readAt = -Infinity;
    this.#reading.delete(userId);
  }

  /** Concurrent callers share a read. */
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

  async setQuota(userId: string, quotaBytes: number | null): Promise<void> {
    const { sql } = this.connection;
    await replaceRow(this.connection, `storage ${userId}`, {
      remove: sql.deleteStorageQuotaOf(userId),
      insert: quotaBytes === null ? null : sql.insertStorageQuotas([{ userId, quotaBytes }]),
    });
    this.forget(userId);
  }

  async #readUse(userId: string): Promise<StorageUse & { draftBytes: number }> {
    const { sql, read } = this.connection;
    await this.#countChats(userId);
    const sum = (statement: Sql) => read((db) => sumOf(db, statement));
    const draftBytes = await sum(sql.draftBytesOf(userId));
    return {
      usedBytes: (await sum(sql.storedBytesOf(userId))) + draftBytes + (await sum(sql.bytesOfUser(userId))),
      draftBytes,
      quotaBytes: this.quotaBytes === null ? null : ((await this.#ownQuota(userId)) ?? this.quotaBytes),
    };
  }

  async #ownQuota(userId: string): Promise<number | null> {
    const { sql, read } = this.connection;
    const [row] = await read((db) => db.rows<{ quotaBytes: number | string }>(sql.storageQuotaOf(userId)));
    return row === undefined ? null : Number(row.quotaBytes);
  }

  /** Counts the messages that any server has written since the last count, chat by chat. */
  async #countChats(userId: string): Promise<void> {
    const { sql, read } = this.connection;
    for (let after = '', isDone = false; !isDone;) {
      const chats = await read((db) => db.rows<UncountedChat>(sql.uncountedChats(userId, after, CHATS_PER_READ)));
      for (const chat of chats) await this.#countChat(chat);
      after = chats.at(-1)?.chatId ?? '';
      isDone = chats.length < CHATS_PER_READ;
    }
  }

  /** Messages of a chat are never changed, and get ascending seqs: the sum up to a seq stays right. */
  async #countChat({ chatId, version, title, metadata, ...counted }: UncountedChat): Promise<void> {
    const { sql, read } = this.connection;
    const ofChat = chatBytes({ title, metadata: sql.metadata(metadata) });
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
    this.connection.warn?.(`User "${userId}" stores ${usedBytes} of ${quotaBytes} bytes (STORAGE_QUOTA_BYTES)`);
  }
}
