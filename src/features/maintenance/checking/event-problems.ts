/** Checks the ids in event payloads, and the creation events of branches and checkpoints. */
import { MAX_INT } from '../../../conversation/bounds.js';
import { isJsonObject } from '../../../conversation/text/merge-patch.js';
import type { ChatEventType } from '../../../conversation/model.js';
import type { Reading } from '../../../database/whole-chats/chat-state.js';
import type { EventRow } from '../../../database/reading/rows.js';
import type { CheckedRow, Problems } from '../../../database/table-check.js';

/** Ids per statement: SQL Server takes 2,100 parameters. */
const IDS_PER_LOOKUP = 1_000;
const DELETIONS: readonly ChatEventType[] = ['BranchDeleted', 'CheckpointDeleted'];

/** The event with the seq of a branch or checkpoint must name it. */
export function originProblems(type: ChatEventType, idMember: string) {
  return async (_: Reading, rows: readonly CheckedRow[]): Promise<Problems> => {
    const others = rows.filter(
      (row) => row['eventType'] !== type || objectOf(row['eventPayload'])?.[idMember] !== row['id'],
    );
    return new Map(others.map((row) => [row, `the event with its seq is not its ${type}`]));
  };
}

type Referenced = 'messages' | 'branches' | 'checkpoints';

/** The members of each payload: the referenced table, or the type of another value. */
const MEMBERS: Record<
  Exclude<ChatEventType, 'ChatDeleted'>,
  Record<string, Referenced | 'message or null' | 'string' | 'string or null' | 'seq'>
> = {
  ChatCreated: {},
  ChatUpdated: {},
  ChatTransferred: { previousUserId: 'string', userId: 'string' },
  ChatRestored: {},
  MemberChanged: { userId: 'string', role: 'string or null' },
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
  /** The name in the payload. */
  name: unknown;
}

export async function eventProblems(from: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const problems: Problems = new Map();
  const references: Reference[] = [];
  for (const row of rows) {
    const found = referencesOf(row);
    if (found === null) problems.set(row, 'payload is not that of its type');
    else references.push(...found);
  }
  const deletions = new Map<unknown, Deletions>();
  for (const table of ['messages', 'branches', 'checkpoints'] as const) {
    const named = references.filter((reference) => reference.table === table);
    const chats = await chatsOf(from, table, [...new Set(named.map(({ id }) => id))]);
    for (const reference of named) {
      const { row, member, id } = reference;
      const { chatId } = row;
      const found = chats.get(id);
      // The id of a deleted checkpoint may be missing without an event that names it.
      if (found === chatId || (found === undefined && table === 'checkpoints')) continue;
      const deleted = deletions.get(chatId) ?? (await deletionsIn(from, String(chatId)));
      deletions.set(chatId, deleted);
      // A deleted row's id may exist in another chat, from an imported file.
      if (wasDeleted(reference, deleted)) continue;
      problems.set(row, `${member} names a row ${found === undefined ? 'that is missing' : 'of another chat'}`);
    }
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
    if (type.endsWith(' or null') && value === null) continue;
    if (typeof value !== (type === 'seq' ? 'number' : 'string')) return null;
    if (type === 'seq' || type.startsWith('string')) continue;
    const table = type === 'message or null' ? 'messages' : (type as Referenced);
    references.push({ row, member, table, id: value as string, name: payload['name'] });
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

/** The deletions that a chat's log records. */
interface Deletions {
  branchIds: ReadonlySet<unknown>;
  /** The seqs of the last deletions by name. */
  checkpoints: ReadonlyMap<unknown, number>;
}

async function deletionsIn({ sql, read }: Reading, chatId: string): Promise<Deletions> {
  const range = { chatId, firstSeq: 1, lastSeq: MAX_INT, branchId: null };
  const filter = { types: DELETIONS, actorId: null, createdAfter: null, createdBefore: null };
  const rows = await read((db) => db.rows<EventRow>(sql.filteredEvents([range], filter, 'first', MAX_INT)));
  const branchIds = new Set<unknown>();
  const checkpoints = new Map<unknown, number>();
  for (const { type, seq, payload } of rows) {
    const { branchId, name } = objectOf(payload) ?? {};
    if (type === 'BranchDeleted') branchIds.add(branchId);
    else checkpoints.set(name, Math.max(checkpoints.get(name) ?? 0, Number(seq)));
  }
  return { branchIds, checkpoints };
}

function wasDeleted({ table, id, name, row }: Reference, { branchIds, checkpoints }: Deletions): boolean {
  if (table === 'checkpoints') return (checkpoints.get(name) ?? 0) > Number(row['seq']);
  return table === 'branches' && branchIds.has(id);
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
