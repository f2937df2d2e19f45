/** The content of a database, comparable across kinds of databases. */
import { canonicalJson } from '../../src/conversation/text/canonical-json.js';
import type { Transaction } from '../../src/database/connection/connection.js';
import { connect, openDatabase, type OpenDatabase } from '../../src/database/opening/open.js';
import { guardsOf } from '../../src/features/all-guards.js';
import { allRowsAt } from '../support/database/all-rows.js';

export type DatabaseContent = Awaited<ReturnType<typeof contentOf>>;

/**
 * Every row of every table except those of ended drafts; metadata as parsed values, and texts without the ids that each
 * database assigns.
 */
export async function contentOf(url: string) {
  const { chats, texts, drafts, pieces, ...rows } = await allRowsAt(url);
  const open = drafts.filter(({ endedAt }) => endedAt === null);
  return {
    ...rows,
    drafts: open,
    pieces: pieces.filter(({ draftId }) => open.some(({ id }) => id === draftId)),
    chats: chats.map(({ metadata, ...row }) => ({ ...row, metadata: canonicalJson(metadata) })),
    texts: texts.map(({ id: _, ...row }) => row),
  };
}

/** The rows of one chat. */
export function ofChat(content: DatabaseContent, chatId: string): DatabaseContent {
  const { chats, messages, runs, sources, branches, checkpoints, events, texts, drafts, pieces } = content;
  const ofDraft = new Set(drafts.filter((draft) => draft.chatId === chatId).map(({ id }) => id));
  const isOfChat = (row: { chatId: string }) => row.chatId === chatId;
  return {
    chats: chats.filter((chat) => chat.id === chatId),
    messages: messages.filter(isOfChat),
    runs: runs.filter(isOfChat),
    sources: sources.filter(isOfChat),
    branches: branches.filter(isOfChat),
    checkpoints: checkpoints.filter(isOfChat),
    events: events.filter(isOfChat),
    texts: texts.filter(isOfChat),
    drafts: drafts.filter(isOfChat),
    pieces: pieces.filter(({ draftId }) => ofDraft.has(draftId)),
  };
}

/** Migrates a database, works on it, and closes it. */
export async function atDatabase<T>(url: string, work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, migrate: true, hooksOf: guardsOf });
  try {
    return await work(database);
  } finally {
    await database.store.close();
  }
}

/** Changes rows without validation. */
export async function changeRows(url: string, work: (tx: Transaction) => Promise<unknown>): Promise<void> {
  const { connection } = await connect(url, { migrate: true });
  await connection.write('a test', work);
  await connection.close();
}
