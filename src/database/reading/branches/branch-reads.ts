import type { Sql } from 'sql-template-tag';
import { scopeKey } from '../../../conversation/chat-scoped.js';
import { DeletedError } from '../../../conversation/errors.js';
import type { Branch, Checkpoint } from '../../../conversation/model.js';
import { MAX_LIST_LENGTH, sliceOf, type PageRequest, type Slice } from '../../../conversation/paging.js';
import type { ConversationReads, NameKey } from '../../../conversation/reads.js';
import { branchesThrough } from './branches-through.js';
import type { ListedTable } from '../../dialects/base/branches.js';
import { rankWindows, type Bounds } from '../rank-window.js';
import type { Reader } from '../reader.js';
import { byKey, inOrder, toBranch, toCheckpoint, type BranchRow, type Keyed } from '../rows.js';

export function branchReads(reader: Reader) {
  const { sql, rows, list } = reader;
  /** Reads the row of each key. */
  const read =
    <Key, R extends object, T>(
      select: (keys: readonly Key[]) => Sql,
      convert: (row: R) => T,
      keyOf: (of: Key | T) => string,
    ) =>
    async (keys: readonly Key[]) => {
      const found = (await rows<R>(select(keys), keys.length)).map(convert);
      return inOrder(keys.map(keyOf), found, keyOf);
    };
  /** Pages of each chat's rows, in two statements for all chats. */
  async function pages<R extends Keyed, T extends { seq: number }>(
    table: ListedTable,
    chatIds: readonly string[],
    page: PageRequest<number>,
    convert: (row: R) => T,
  ): Promise<Slice<T>[]> {
    const bounds = await rows<Bounds>(sql.rankBounds(table, chatIds, page.after, page.before), chatIds.length);
    const { slices, longest, sum } = rankWindows(page, bounds, chatIds.length);
    const order = ORDER[table];
    const [above, below] = order === 'ASC' ? [page.after, page.before] : [page.before, page.after];
    const ranges = chatIds.map((chatId) => ({ chatId, above: above ?? 0, below: below ?? MAX_LIST_LENGTH }));
    // Read from the page's end of the list.
    const from = page.last === null ? order : order === 'ASC' ? 'DESC' : 'ASC';
    const listed = sql.listed(table, ranges, from, longest);
    const lists = byKey(await rows<R>(listed, sum), chatIds, convert);
    return slices.map(({ window, total }, n) => {
      const rows = (lists[n] ?? []).sort(order === 'ASC' ? oldestFirst : newestFirst);
      return sliceOf(rows, window, total);
    });
  }

  return {
    branches: read(sql.branches, toBranch, scopeKey),
    branchesById: read(sql.branchesById, toBranch, idOf),
    branchesByName: read(sql.branchesByName, toBranch, nameKey),

    async activeBranches(chatIds) {
      const found = (await rows<BranchRow>(sql.activeBranches(chatIds), chatIds.length)).map(toBranch);
      return inOrder(chatIds, found, (branch) => branch.chatId).map((branch, n) => {
        if (branch === null) throw new DeletedError(`Chat "${chatIds[n]}"`);
        return branch;
      });
    },

    branchPages: (chatIds, page) => pages<BranchRow & Keyed, Branch>('branches', chatIds, page, toBranch),

    async branchesAt(messages, atMost) {
      const found = await list<BranchRow & Keyed>((limit) => sql.branchesAt(messages, limit), atMost);
      return byKey(found, messages, toBranch).map((branches) => branches.sort(oldestFirst));
    },

    branchesThrough: branchesThrough(reader),

    checkpoints: read(sql.checkpoints, toCheckpoint, scopeKey),
    checkpointsById: read(sql.checkpointsById, toCheckpoint, idOf),
    checkpointsByName: read(sql.checkpointsByName, toCheckpoint, nameKey),

    checkpointPages: (chatIds, page) =>
      pages<Checkpoint & Keyed, Checkpoint>('checkpoints', chatIds, page, toCheckpoint),

    async checkpointsAt(messages, atMost) {
      const found = await list<Checkpoint & Keyed>((limit) => sql.checkpointsAt(messages, limit), atMost);
      return byKey(found, messages, toCheckpoint).map((checkpoints) => checkpoints.sort(newestFirst));
    },
  } satisfies Partial<ConversationReads>;
}

/** The seq order of a table's list. */
const ORDER = { branches: 'ASC', checkpoints: 'DESC' } as const;

const oldestFirst = (one: { seq: number }, other: { seq: number }) => one.seq - other.seq;
const newestFirst = (one: { seq: number }, other: { seq: number }) => other.seq - one.seq;

const idOf = (of: string | { id: string }): string => (typeof of === 'string' ? of : of.id);

function nameKey({ chatId, name }: NameKey): string {
  return JSON.stringify([chatId, name]);
}
