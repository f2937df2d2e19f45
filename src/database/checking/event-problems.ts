/** The ids in payloads of events, and the events of branches and checkpoints. */
import { isJsonObject } from '../../conversation/text/merge-patch.js';
import type { ChatEventType } from '../../conversation/model.js';
import type { Reading } from '../copy/chat-state.js';
import type { EventRow } from '../reading/rows.js';
import type { CheckedRow, Problems } from './table-check.js';

/** Ids of one statement: SQL Server takes 2,100 parameters. */
const IDS_PER_LOOKUP = 1_000;
const LAST_SEQ = 2 ** 31 - 1;

/** The event with the seq of a branch or a checkpoint is about the same one. */
export function originProblems(type: ChatEventType, idMember: string) {
  return async (_: Reading, rows: readonly CheckedRow[]): Promise<Problems> => {
    const others = rows.filter(
      (row) => row['eventType'] !== type || objectOf(row['eventPayload'])?.[idMember] !== row['id'],
    );
    return new Map(others.map((row) => [row, `the event with its seq is not its ${type}`]));
  };
}

type Referenced = 'messages' | 'branches' | 'checkpoints';

/** The members of each payload: the table that an id names, or the type of another value. */
const MEMBERS: Record<
  Exclude<ChatEventType, 'ChatDeleted'>,
  Record<string, Referenced | 'message or null' | 'string' | 'seq'>
> = {
  ChatCreated: {},
  ChatUpdated: {},
  ChatTransferred: { previousUserId: 'string', userId: 'string' },
  BranchCreated: { branchId: 'branches', headId: 'message or null' },
  BranchActivated: { branchId: 'branches' },
  BranchHeadMoved: {
    branchId: 'branches',
    previousHeadId: 'message or null',
    headId: 'messages',
    firstSeq: 'seq',
    lastSeq: 'seq',
  },
  BranchRenamed: { branchId: 'branches', previousName: 'string', name: 'string' },
  BranchDeleted: { branchId: 'branches', name: 'string', headId: 'message or null' },
  CheckpointSaved: { checkpointId: 'checkpoints', name: 'string', messageId: 'messages' },
  CheckpointDeleted: { name: 'string' },
};

interface Reference {
  row: CheckedRow;
  member: string;
  table: Referenced;
  id: string;
}

export async function eventProblems(from: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const problems: Problems = new Map();
  const references: Reference[] = [];
  for (const row of rows) {
    const found = referencesOf(row);
    if (found === null) problems.set(row, 'payload is not that of its type');
    else references.push(...found);
  }
  const missingBranches: Reference[] = [];
  for (const table of ['messages', 'branches', 'checkpoints'] as const) {
    const named = references.filter((reference) => reference.table === table);
    const chats = await chatsOf(from, table, [...new Set(named.map(({ id }) => id))]);
    for (const reference of named) {
      const { row, member, id } = reference;
      const chatId = chats.get(id);
      if (chatId === row['chatId']) continue;
      if (chatId !== undefined) problems.set(row, `${member} names a row of another chat`);
      else if (table === 'messages') problems.set(row, `${member} names a row that is missing`);
      // The log does not keep the id of a deleted checkpoint.
      else if (table === 'branches') missingBranches.push(reference);
    }
  }
  const deleted = new Map<unknown, Set<unknown>>();
  for (const { row, member, id } of missingBranches) {
    const chatId = row['chatId'];
    const ids = deleted.get(chatId) ?? (await deletedBranches(from, String(chatId)));
    deleted.set(chatId, ids);
    if (!ids.has(id)) problems.set(row, `${member} names a row that is missing`);
  }
  return problems;
}

/** Null when a member is missing or of another type. */
function referencesOf(row: CheckedRow): Reference[] | null {
  const members = (MEMBERS as Partial<Record<string, Record<string, string>>>)[String(row['type'])];
  const payload = objectOf(row['payload']);
  if (members === undefined || payload === null) return null;
  const references: Reference[] = [];
  for (const [member, type] of Object.entries(members)) {
    const value = payload[member];
    if (type === 'message or null' && value === null) continue;
    if (typeof value !== (type === 'seq' ? 'number' : 'string')) return null;
    if (type === 'seq' || type === 'string') continue;
    const table = type === 'message or null' ? 'messages' : (type as Referenced);
    references.push({ row, member, table, id: value as string });
  }
  return references;
}

async function chatsOf(from: Reading, table: Referenced, ids: readonly string[]): Promise<Map<string, string>> {
  const chats = new Map<string, string>();
  for (let start = 0; start < ids.length; start += IDS_PER_LOOKUP) {
    const some = ids.slice(start, start + IDS_PER_LOOKUP);
    const rows = await from.read((db) => db.rows<{ id: string; chatId: string }>(from.sql.chatsOfRows(table, some)));
    for (const { id, chatId } of rows) chats.set(id, chatId);
  }
  return chats;
}

/** The ids of the branches that a chat has had: as many as its log says were deleted. */
async function deletedBranches({ sql, read }: Reading, chatId: string): Promise<Set<unknown>> {
  const rows = await read((db) => db.rows<EventRow>(sql.lostNames({ chatId, firstSeq: 1, lastSeq: LAST_SEQ })));
  return new Set(
    rows.filter(({ type }) => type === 'BranchDeleted').map(({ payload }) => objectOf(payload)?.['branchId']),
  );
}

/** The members of a JSON object; null of anything else. */
function objectOf(json: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(json));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
