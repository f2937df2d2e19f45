/** All rows of a chat in batches, table by table in the order that foreign keys require. */
import { membersOf } from '../../conversation/access/ownership.js';
import { tablesWith } from '../../conversation/table-rules.js';
import type { Row } from '../../conversation/tables.js';
import type { ChatState, Reading } from '../../database/whole-chats/chat-state.js';
import {
  eventsOf,
  MESSAGES_PER_STEP,
  messagesOf,
  ranges,
  slices,
  type RowStep,
} from '../../database/whole-chats/chat-steps.js';
import { copyStatements } from './statements.js';

/** Chunks of `draft_chunks` per step: each is at most as large as an append. */
const CHUNKS_PER_STEP = 16;

/**
 * @param state the bounds of the read: later rows are left out. After a deletion rows are missing; callers must check
 * with isThere
 */
export async function* chatSteps(from: Reading, state: ChatState): AsyncGenerator<RowStep> {
  const { chat, branches, checkpoints, drafts } = state;
  yield { table: 'chats', rows: [chat] };
  for (const table of tablesWith({ copy: 'rows' })) {
    const statement = copyStatements(from.sql.differences).copiedRows(table, chat.id);
    const rows = await from.read((db) => db.rows<object>(statement));
    rows.sort(byValues);
    if (rows.length > 0) yield { table, rows } as RowStep;
  }
  const members = membersOf(chat).map((member) => ({ chatId: chat.id, ...member }));
  // Databases have different orders of texts.
  members.sort((one, other) => (one.userId < other.userId ? -1 : 1));
  if (members.length > 0) yield { table: 'chat_members', rows: members };
  for await (const rows of messagesOf(from, state)) yield { table: 'messages', rows };
  for await (const rows of referencesOf(from, state)) yield { table: 'message_files', rows };
  for (const rows of slices(branches)) yield { table: 'branches', rows };
  for (const rows of slices(checkpoints)) yield { table: 'checkpoints', rows };
  for await (const rows of eventsOf(from, state)) yield { table: 'chat_events', rows };
  if (drafts.length > 0) yield { table: 'drafts', rows: drafts };
  for (const draft of drafts) for await (const rows of chunksOf(from, draft)) yield { table: 'draft_chunks', rows };
}

/** An order that all databases have. */
const byValues = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** In the order of messages, which is the same on every database. */
async function* referencesOf(
  { sql, read }: Reading,
  { chat, lastMessageSeq }: ChatState,
): AsyncGenerator<Row<'message_files'>[]> {
  const [first] = await read((db) => db.rows(copyStatements(sql.differences).firstMessageFile(chat.id)));
  if (first === undefined) return;
  for (const range of ranges(lastMessageSeq, MESSAGES_PER_STEP)) {
    const rows = await read((db) =>
      db.rows<Row<'message_files'>>(copyStatements(sql.differences).messageFilesOf({ chatId: chat.id, ...range })),
    );
    yield* slices(rows);
  }
}

/** Up to the length in the state. */
async function* chunksOf({ sql, read }: Reading, draft: Row<'drafts'>): AsyncGenerator<Row<'draft_chunks'>[]> {
  for (let after = 0; after < draft.length;) {
    const from = after;
    const rows = await read((db) =>
      db.rows<Row<'draft_chunks'>>(sql.partsAfter('drafts', draft, from, CHUNKS_PER_STEP)),
    );
    const found = rows.filter(({ endOffset }) => endOffset <= draft.length);
    if (found.length === 0) return;
    yield found;
    after = found.at(-1)?.endOffset ?? draft.length;
  }
}
