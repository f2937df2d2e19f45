/**
 * Writes a fork: its messages are copied by one statement per table. A larger fork is copied in several transactions
 * and hidden until the last, like an import: see docs/adr/0020-importing-in-steps.md.
 */
import { ImportUnderWayError, NotFoundError } from '../../conversation/errors.js';
import type { ForkedChat } from './forked-chat.js';
import { includes, type SeqBounds } from './graph-runs.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/access/ownership.js';
import { tablesWith } from '../../conversation/table-rules.js';
import type { Row } from '../../conversation/tables.js';
import { slices, type RowStep } from '../../database/whole-chats/chat-steps.js';
import { writeStep } from '../../database/whole-chats/write-step.js';
import { forkStatements, type ForkedSource, type ForkStatements, type ForkStep } from './statements.js';
import { boundedSteps } from '../../database/whole-chats/bounded-steps.js';
import { ImportLease } from '../../database/whole-chats/import-lease.js';
import { importOf } from '../../database/writing/open-import.js';
import type { Connection, Transaction } from '../../database/connection/connection.js';
import type { DatabaseStore } from '../../database/store/database-store.js';
import { toChat } from '../../database/reading/rows.js';
import { removals } from '../../database/removals.js';
import { admit, noteStored, runFeatureStatements } from '../../database/change-hooks.js';
import { storedEvents } from '../../database/writing/write-change.js';

/** Messages per transaction. On SQLite, copying this many takes about 0.1 s. */
const MESSAGES_PER_STEP = 2_000;
/** Bytes of message data per transaction, except a single larger message. */
const BYTES_PER_STEP = 4 * 1024 * 1024;
/** Attempts when another operation writes the same row, such as a file of the same user. */
const MAX_ATTEMPTS = 3;

/**
 * @returns false when the id is taken
 * @throws NotFoundError when the viewer may no longer read the origin; InvalidInputError when the files exceed the limit
 */
export async function writeFork(store: DatabaseStore, fork: ForkedChat, viewer: Viewer): Promise<boolean> {
  const { userId } = fork.chat;
  await admit(store.connection, userId);
  if (!(await write(store, fork, viewer))) return false;
  noteStored(store.connection, userId);
  await store.announce(fork.chat);
  return true;
}

async function write(store: DatabaseStore, fork: ForkedChat, viewer: Viewer): Promise<boolean> {
  const { connection } = store;
  const steps = await stepsOf(connection, fork);
  const writer = new ForkWriter(store, fork, viewer);
  for (let attempt = 1; ; attempt++) {
    try {
      return steps.length > 1 ? await writer.writeHidden(steps) : await writer.writeAtOnce(steps);
    } catch (error) {
      if (error instanceof ImportUnderWayError) return false;
      if (connection.sql.failure(error) !== 'duplicate') throw error;
      const isFreed = await (await removals()).removeBlocking(connection, { chat: fork.chat, messages: [] });
      if (attempt === MAX_ATTEMPTS || (!isFreed && (await isTaken(connection, fork.chat.id)))) return false;
    }
  }
}

async function isTaken(connection: Connection, id: string): Promise<boolean> {
  const { sql, read } = connection;
  return (await importOf(connection, id)) !== null || (await read((db) => db.rows(sql.chatsById([id])))).length > 0;
}

/** Splits the messages into transactions. */
async function stepsOf({ sql, read }: Connection, fork: ForkedChat): Promise<ForkStep[]> {
  const forks = forkStatements(sql.differences);
  const { origin, chat, idPrefix, ranges } = fork;
  const isWhole = origin.whole !== null;
  const step = { chatId: chat.id, fromChatId: origin.chat.id, idPrefix, isWhole };
  const steps: (ForkStep & { ranges: SeqBounds[] })[] = [];
  let [count, bytes] = [MESSAGES_PER_STEP, 0];
  for (const some of pieces(ranges)) {
    const sizes = await read((db) =>
      db.rows<{ seq: number; bytes: number }>(forks.forkedSizes({ ...step, ranges: some })),
    );
    for (const { seq, bytes: size } of sizes) {
      if (count === MESSAGES_PER_STEP || bytes + size > BYTES_PER_STEP) {
        steps.push({ ...step, ranges: [] });
        [count, bytes] = [0, 0];
      }
      const into = steps.at(-1)?.ranges ?? [];
      const last = into.at(-1);
      if (last?.lastSeq === seq - 1) into.splice(-1, 1, { ...last, lastSeq: seq });
      else into.push({ firstSeq: seq, lastSeq: seq });
      count++;
      bytes += size;
    }
  }
  return steps;
}

/** Ranges of a bounded number of messages. */
function* pieces(ranges: readonly SeqBounds[]): Generator<SeqBounds[]> {
  let [piece, count]: [SeqBounds[], number] = [[], 0];
  for (const { firstSeq: from, lastSeq } of ranges) {
    for (let firstSeq = from; firstSeq <= lastSeq;) {
      const end = Math.min(lastSeq, firstSeq + MESSAGES_PER_STEP - count - 1);
      piece.push({ firstSeq, lastSeq: end });
      count += end - firstSeq + 1;
      firstSeq = end + 1;
      if (count < MESSAGES_PER_STEP) continue;
      yield piece;
      [piece, count] = [[], 0];
    }
  }
  if (count > 0) yield piece;
}

class ForkWriter {
  readonly connection: Connection;
  readonly #forks: ForkStatements;

  constructor(
    private readonly store: DatabaseStore,
    private readonly fork: ForkedChat,
    private readonly viewer: Viewer,
  ) {
    this.connection = store.connection;
    this.#forks = forkStatements(this.connection.sql.differences);
  }

  /** Writes everything in one transaction. */
  async writeAtOnce(steps: readonly ForkStep[]): Promise<boolean> {
    const { sql, write } = this.connection;
    const { chat } = this.fork;
    await write(chat.id, async (tx) => {
      await tx.run(sql.insertRows('chats', [chat]));
      for (const step of steps) await this.#copy(tx, step);
      for await (const rows of this.#otherRows()) await writeStep(tx, sql, rows, { hooks: [] });
      await this.#finish(tx);
    });
    return true;
  }

  /** An incomplete fork is removed: a repeated call copies everything again, with other ids. */
  async writeHidden(steps: readonly ForkStep[]): Promise<boolean> {
    const { sql } = this.connection;
    const { chat } = this.fork;
    const lease = new ImportLease(this.connection, chat);
    const taken = await lease.take();
    if (taken === null) return false;
    try {
      if (taken === 'begun') {
        await lease.remove();
        return await this.writeHidden(steps);
      }
      for (const step of steps) await lease.step((tx) => this.#copy(tx, step));
      for await (const step of boundedSteps(this.#otherRows())) {
        await lease.step(async (tx) => {
          for (const rows of step) await writeStep(tx, sql, rows, { hooks: [] });
        });
      }
      await lease.show((tx) => this.#finish(tx));
      return true;
    } catch (error) {
      // The first error is reported. A remaining chat is deleted after its lease.
      await lease.remove(this.store.unbounded).catch(() => {});
      throw error;
    }
  }

  async *#otherRows(): AsyncGenerator<RowStep> {
    const { branches, checkpoints } = this.fork;
    for (const rows of slices([...branches.values()])) yield { table: 'branches', rows };
    for (const rows of slices(checkpoints)) yield { table: 'checkpoints', rows };
    for (const rows of slices(storedEvents(this.fork))) yield { table: 'chat_events', rows };
  }

  async #copy(tx: Transaction, step: ForkStep): Promise<void> {
    const copies = [
      this.#forks.forkMessages(step),
      ...(step.isWhole ? [this.#forks.forkRuns(step)] : []),
      ...tablesWith({ isForked: true }).map((table) => this.#forks.forkRows(table, step)),
      this.#forks.forkTexts(step),
    ];
    for (const copy of copies) {
      await tx.run(copy);
      await tx.yieldIfDue();
    }
    await this.#copySources(tx, step);
    await this.#checkOrigin(tx);
  }

  /** Read and written apart: the rows of two chats can be on two servers. A source that is not copied becomes its hash. */
  async #copySources(tx: Transaction, step: ForkStep): Promise<void> {
    const { sql } = this.connection;
    const { origin, ranges } = this.fork;
    const { chatId } = step;
    const sources: Row<'message_sources'>[] = [];
    const hashes: Row<'message_source_hashes'>[] = [];
    for (const { seq, position, sourceSeq, hash } of await tx.rows<ForkedSource>(this.#forks.forkedSources(step))) {
      if (sourceSeq === null || !includes(ranges, sourceSeq)) hashes.push({ chatId, seq, position, hash });
      else {
        const copy = step.isWhole ? sourceSeq : origin.runs.depthOf(sourceSeq) + 1;
        sources.push({ chatId, seq, position, sourceSeq: copy });
      }
    }
    for (const rows of slices(sources)) await tx.run(sql.insert('message_sources', rows));
    for (const rows of slices(hashes)) await tx.run(sql.insert('message_source_hashes', rows));
  }

  async #finish(tx: Transaction): Promise<void> {
    const { sql, scope } = this.connection;
    const { chat, origin, now } = this.fork;
    const fromMessageId = origin.head?.id ?? null;
    await tx.run(sql.insertRows('chat_forks', [{ chatId: chat.id, fromChatId: origin.chat.id, fromMessageId }]));
    await runFeatureStatements(this.connection, tx, this.fork);
    for (const each of scope.hooks) await each.takeOver?.(chat, 'fork', now, tx);
  }

  /** After the copy: a chat that is deleted in steps has all its rows until it is hidden. */
  async #checkOrigin(tx: Transaction): Promise<void> {
    const { sql } = this.connection;
    const { id } = this.fork.origin.chat;
    const [row] = await tx.rows<Chat>(sql.chatsById([id]));
    if (row === undefined || !mayAccess(this.viewer, toChat(row, sql))) throw NotFoundError.chat(id);
  }
}
