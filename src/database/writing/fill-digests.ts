/**
 * Computes the digests of messages that were written without one: by imports and copies, and by servers of an older
 * version, also while they run. Works in interruptible steps, each under the lock of its chat. Parents precede their
 * children. The usage of a chat is the sum over its messages with a digest.
 */
import { MAX_INT } from '../../conversation/bounds.js';
import type { Chat } from '../../conversation/model.js';
import { digestOf, messageSums, type Digest, type StoredDigest } from '../../conversation/saving/message-digest.js';
import type { Row } from '../../conversation/tables.js';
import { paced } from '../../scheduler/lock-pacing.js';
import type { SeqPosition } from '../dialects/base/fragments.js';
import type { Dialect } from '../dialects/dialect.js';
import { FillReport, type MigrationOptions } from './progress.js';
import type { Connection, Queryable, Transaction } from '../connection/connection.js';
import { toChat } from '../reading/rows.js';
import { boundedPieces } from '../../system/bounded-pieces.js';

const MESSAGES_PER_STEP = 200;
/** Bytes of data per step, except a single larger message. */
const BYTES_PER_STEP = 1024 * 1024;
const BEGINNING: SeqPosition = { chatId: '', seq: 0 };

export interface DigestRow
  extends
    Pick<Row<'messages'>, 'chatId' | 'seq' | 'id' | 'parentId' | 'name' | 'type' | 'createdAt' | 'data'>,
    StoredDigest {
  parentHash: string | null;
  parentUsage: string | null;
}

/** The messages after a position up to another, with their sources. */
export async function digestRows(
  db: Queryable,
  sql: Dialect,
  after: SeqPosition,
  to: SeqPosition,
  onlyMissing: boolean,
): Promise<(DigestRow & { sources: readonly HashedSource[] })[]> {
  const rows = await db.rows<DigestRow>(sql.digestRows(after, to, onlyMissing));
  const sources = new Map<string, HashedSource[]>();
  for (const { chatId, of, id, contentHash } of await db.rows<HashedSource & { chatId: string; of: number }>(
    sql.digestSources(after, to),
  )) {
    const key = `${of} ${chatId}`;
    sources.set(key, [...(sources.get(key) ?? []), { id, contentHash }]);
  }
  const sourcesOf = ({ chatId, seq }: DigestRow) => (sources.size === 0 ? [] : (sources.get(`${seq} ${chatId}`) ?? []));
  // In place: copying the rows would take a part of the time of a verification.
  return rows.map((row) => Object.assign(row, { sources: sourcesOf(row) }));
}

type HashedSource = Pick<Row<'messages'>, 'id' | 'contentHash'>;

export interface FillOptions extends Pick<MigrationOptions, 'onProgress'> {
  /** The only chat; all by default. */
  ofChat?: string | undefined;
  /** Ends the call after the current step. */
  signal?: AbortSignal | undefined;
}

/** Computes missing digests. Several processes may do so concurrently. */
export async function fillDigests(
  connection: Pick<Connection, 'sql' | 'read' | 'long' | 'write' | 'scope'>,
  { ofChat, signal, onProgress }: FillOptions = {},
): Promise<void> {
  const { sql, read, long, write, scope } = connection;
  let report: FillReport | undefined;
  let after = ofChat === undefined ? BEGINNING : { chatId: ofChat, seq: 0 };
  for (let isDone = false; !isDone && signal?.aborted !== true;) {
    const from = after;
    const sizes = await read((db) => db.rows<Size>(sql.digestSizes(from, true, MESSAGES_PER_STEP)));
    const [first] = sizes;
    const ofFirst = sizes.filter(({ chatId }) => chatId === first?.chatId);
    const [piece = []] = boundedPieces(ofFirst, ({ bytes }) => bytes, BYTES_PER_STEP);
    const to = piece.at(-1);
    if (first === undefined || to === undefined || (ofChat !== undefined && first.chatId !== ofChat)) break;
    const { chatId } = first;
    if (onProgress !== undefined && report === undefined && sizes.length === MESSAGES_PER_STEP) {
      const [count] = await long.rows<{ total: number }>(sql.countMissingDigests());
      report = new FillReport('message hashes', count?.total ?? 0, { onProgress });
    }
    isDone = sizes.length < MESSAGES_PER_STEP && to === sizes.at(-1);
    const filled = await paced((begin) =>
      write(chatId, async (tx) => {
        const [row] = await tx.rows<Chat>(sql.lockChat(chatId));
        begin();
        if (row === undefined) return null;
        const chat = toChat(row, sql);
        const usage = await fillStep(tx, sql, chat, { chatId, seq: first.seq - 1 }, to);
        if (usage !== chat.usage) await scope.form?.lists?.expect(chat);
        return { ...chat, usage };
      }),
    );
    if (filled !== null) {
      await scope.form?.lists?.list([filled], scope.warn);
      report?.add(sizes.indexOf(to) + 1);
    }
    // A chat that is being deleted or imported is skipped.
    after = filled !== null ? to : { chatId, seq: MAX_INT };
  }
  if (signal?.aborted !== true) report?.end();
}

type Size = SeqPosition & { bytes: number };

/** @returns the usage of the chat */
async function fillStep(
  tx: Transaction,
  sql: Dialect,
  chat: Chat,
  after: SeqPosition,
  to: SeqPosition,
): Promise<Chat['usage']> {
  const computed = new Map<string, Digest>();
  let { usage } = chat;
  for (const row of await digestRows(tx, sql, after, to, true)) {
    await tx.yieldIfDue();
    const stored = { contentHash: row.parentHash, usage: row.parentUsage };
    const parent = row.parentId === null ? null : (computed.get(row.parentId) ?? stored);
    const sources = row.sources.map(({ id, contentHash }) => computed.get(id)?.contentHash ?? contentHash);
    const digest = digestOf(row, JSON.parse(row.data), parent, sources);
    // Its parent was written meanwhile without a digest: the next call computes both.
    if (digest === null) continue;
    usage = digest.ownUsage === null ? (usage ?? '[]') : messageSums.add(usage, digest.ownUsage);
    computed.set(row.id, digest);
  }
  if (computed.size === 0) return usage;
  const rows = [...computed].map(([id, digest]) => ({ id, ...digest }));
  await tx.run(sql.updateDigests(chat.id, rows));
  if (usage !== chat.usage) tx.runLast(sql.updateUsage(chat.id, usage));
  return usage;
}
