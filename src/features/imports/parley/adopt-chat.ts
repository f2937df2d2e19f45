/** Writes whole chats of files with their ids and times. */
import type { WholeChat } from '../../../conversation/whole-chat.js';
import { ChangedMeanwhileError, ImportUnderWayError, RuleError } from '../../../conversation/errors.js';
import { admit, importCommit, noteStored, runFeatureStatements } from '../../../database/change-hooks.js';
import type { Connection, Queryable, Transaction } from '../../../database/connection/connection.js';
import { readChats, readState, type ChatState } from '../../../database/whole-chats/chat-state.js';
import { writeStep } from '../../../database/whole-chats/write-step.js';
import { isLarge, rowsOf, boundedSteps, messagesAfter } from '../../../database/whole-chats/bounded-steps.js';
import { writeHiddenChat } from '../../../database/whole-chats/hidden-chat.js';
import { removals } from '../../../database/removals.js';
import { fillDigests } from '../../../database/writing/fill-digests.js';
import { refuseWhileImported, importOf } from '../../../database/writing/open-import.js';
import type { CommittedChange } from '../../../feature.js';
import { isDeepStrictEqual } from 'node:util';
import type { Chat } from '../../../conversation/model.js';
import { paced } from '../../../scheduler/lock-pacing.js';
import { slices } from '../../../database/whole-chats/chat-steps.js';
import { firstDifference, type DifferentRow } from '../../../database/whole-chats/first-difference.js';
import { toChat } from '../../../database/reading/rows.js';

/**
 * Writes a checked chat, or the new part of a stored one, with its ids and times in one transaction. A stored chat is
 * continued when all its messages and events are a prefix of the given ones.
 */
export type Adopt = (whole: WholeChat) => Promise<Adoption>;

/** @param onChange called after a chat was written. It must not throw */
export function adopterOf(connection: Connection, onChange: (change: CommittedChange) => void = () => {}): Adopt {
  return async (whole) => {
    const { id, userId, version } = whole.chat;
    await admit(connection, userId);
    const adoption = await adopt(connection, whole);
    noteStored(connection, userId);
    if ('firstSeq' in adoption) {
      await fillDigests(connection, { ofChat: id });
      const { form, warn } = connection.scope;
      // The usage was computed meanwhile.
      if (form?.lists !== undefined) await form.lists.list(await readChats(connection, [id]), warn);
      onChange({ chatId: id, version });
    }
    return adoption;
  };
}

async function adopt(connection: Connection, whole: WholeChat, isRetry = false): Promise<Adoption> {
  const { chat } = whole;
  const [stored] = await readChats(connection, [chat.id]);
  if (stored === undefined) {
    if (await insert(connection, whole)) return { result: 'imported', firstSeq: 1 };
    const [other] = await readChats(connection, [chat.id]);
    return other === undefined ? { result: 'taken' } : adopt(connection, whole, isRetry);
  }
  if (stored.userId !== chat.userId) return { result: 'taken' };
  try {
    return await continueChat(connection, whole, stored);
  } catch (error) {
    if (connection.sql.failure(error) === 'duplicate') return { result: 'taken' };
    if (!(error instanceof ChangedMeanwhileError) || isRetry) throw error;
    return adopt(connection, whole, true);
  }
}

/**
 * Writes a new chat.
 * @returns false when its id, or the id of a row in it, is taken
 */
async function insert(connection: Connection, whole: WholeChat): Promise<boolean> {
  const { sql } = connection;
  const { chat } = whole;
  if (await isLarge(rowsOf(whole))) return writeHiddenChat(connection, whole);
  try {
    await connection.write(chat.id, async (tx) => {
      await tx.run(sql.insertRows('chats', [chat]));
      for await (const rows of rowsOf(whole)) await writeStep(tx, sql, rows, connection.scope);
      await runFeatureStatements(connection, tx, importCommit(chat, true));
    });
    return true;
  } catch (error) {
    if (sql.failure(error) !== 'duplicate') throw error;
    await refuseWhileImported(connection, chat);
    return (await (await removals()).removeBlocking(connection, { chat, messages: [] })) && insert(connection, whole);
  }
}

/** Adds the new part of an imported chat to the stored one, in several transactions. */
type Adoption =
  | { result: 'imported' | 'updated'; /** The seq of the first new message. */ firstSeq: number }
  | { result: 'unchanged' }
  /** Stored rows differ from those of the file; the chat was not changed. */
  | { result: 'diverged'; difference: DifferentRow }
  /** Its id, or the id of a row in it, belongs to another chat; nothing was written. */
  | { result: 'taken' };

/** The last transaction writes the new events, and the branches and checkpoints that they change. */
const MAX_NEW_EVENTS = 20_000;

/**
 * Writes messages in advance when they exceed one transaction: no branch leads to them before the last one. A repeated
 * call continues an interrupted one.
 * @throws ChangedMeanwhileError, ImportUnderWayError, RuleError when the file has too many new events, or an import in
 * another format was interrupted
 */
async function continueChat(connection: Connection, whole: WholeChat, stored: Chat): Promise<Adoption> {
  const { sql, read } = connection;
  const { id, userId, version } = stored;
  const state = await readState({ sql, read }, id);
  if (state?.chat.version !== version) throw new ChangedMeanwhileError(id);
  const lastSeqOf = async (db: Queryable) => {
    const [count] = await db.rows<{ total: number }>(sql.messageCounts([id]));
    return count?.total ?? 0;
  };
  let lastSeq = state.lastMessageSeq;
  const difference = await firstDifference({ sql, read }, { chat: stored, lastMessageSeq: lastSeq }, whole);
  if (difference !== null) return { result: 'diverged', difference };
  const newEvents = whole.chat.version - version;
  if (newEvents <= 0) return { result: 'unchanged' };
  if (newEvents > MAX_NEW_EVENTS) {
    throw new RuleError(
      `the file has ${newEvents} new events, and an import adds at most ${MAX_NEW_EVENTS} to an existing chat; ` +
        'delete the chat and import the file again',
    );
  }
  const open = await importOf(connection, id);
  if (open !== null) {
    if (open.expiresAt >= Date.now()) throw new ImportUnderWayError(id);
    throw new RuleError(`an import of chat "${id}" was interrupted: repeat that import before this one`);
  }

  const step = (work: (tx: Transaction, locked: Chat) => Promise<void>) =>
    paced((begin) => {
      const checked = async (tx: Transaction) => {
        begin();
        const [row] = await tx.rows<Chat>(sql.lockChat(id));
        const isSame = row !== undefined && row.userId === userId && toChat(row, sql).version === version;
        if (!isSame || (await lastSeqOf(tx)) !== lastSeq) throw new ChangedMeanwhileError(id);
        await work(tx, toChat(row, sql));
      };
      return connection.write(id, checked);
    });
  const firstSeq = lastSeq + 1;
  if (await isLarge(messagesAfter(whole, lastSeq))) {
    if (await isTaken(connection, state, whole)) return { result: 'taken' };
    for await (const pieces of boundedSteps(messagesAfter(whole, lastSeq))) {
      await step(async (tx) => {
        for (const rows of pieces) await writeStep(tx, sql, rows, connection.scope);
      });
      for (const { rows } of pieces) lastSeq += rows.length;
    }
  }
  await step(async (tx, { usage }) => {
    await tx.run(sql.updateChat({ ...whole.chat, usage }));
    await runFeatureStatements(connection, tx, importCommit(whole.chat, false));
    const written = { messages: lastSeq, events: version };
    const changed = {
      branches: changesOf(state.branches, whole.branches),
      checkpoints: changesOf(state.checkpoints, whole.checkpoints),
    };
    for (const table of ['branches', 'checkpoints'] as const) {
      for (const seq of changed[table].replaced) await tx.run(sql.deleteRange(table, id, seq, seq + 1));
    }
    const { rows: branches } = changed.branches;
    const { rows: checkpoints } = changed.checkpoints;
    for await (const rows of rowsOf({ ...whole, branches, checkpoints }, written))
      await writeStep(tx, sql, rows, connection.scope);
  });
  return { result: 'updated', firstSeq };
}

/**
 * Whether another chat has the id of a new row: the first transaction must not write rows that the last one cannot
 * complete.
 */
async function isTaken({ sql, read }: Connection, state: ChatState, whole: WholeChat): Promise<boolean> {
  const isAnyThere = async (table: 'messages' | 'branches' | 'checkpoints', rows: readonly { id: string }[]) => {
    for (const some of slices(rows)) {
      const ids = some.map(({ id }) => id);
      if ((await read((db) => db.rows(sql.chatsOfRows(table, ids)))).length > 0) return true;
    }
    return false;
  };
  for (const table of ['branches', 'checkpoints'] as const) {
    const stored = new Set(state[table].map(({ id }) => id));
    const added = whole[table].filter(({ id }) => !stored.has(id));
    if (await isAnyThere(table, added)) return true;
  }
  for await (const { rows } of messagesAfter(whole, state.lastMessageSeq)) {
    if (await isAnyThere('messages', rows as readonly { id: string }[])) return true;
  }
  return false;
}

/** The stored rows that the file changes or lacks, by their seqs, and their replacements. */
function changesOf<Row extends { seq: number; createdBy?: string | null }>(
  stored: readonly Row[],
  imported: readonly Row[],
): { replaced: number[]; rows: Row[] } {
  const before = new Map(stored.map((row) => [row.seq, row]));
  // The stored events keep their actors, so that branches keep their creators.
  const kept = imported.map((row) => {
    const creator = before.get(row.seq)?.createdBy;
    return creator === undefined ? row : { ...row, createdBy: creator };
  });
  const rows = kept.filter((row) => !isDeepStrictEqual(before.get(row.seq), row));
  const same = new Set(imported.map(({ seq }) => seq));
  for (const { seq } of rows) same.delete(seq);
  return { replaced: stored.flatMap(({ seq }) => (same.has(seq) ? [] : [seq])), rows };
}
