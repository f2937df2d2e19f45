/** Branches and checkpoints. */
import { scopeKey } from '../../../conversation/chat-scoped.js';
import { DeletedError } from '../../../conversation/errors.js';
import type { Branch, Checkpoint } from '../../../conversation/model.js';
import { MAX_LIST_LENGTH, sliceOf, type PageRequest, type Slice } from '../../../conversation/paging.js';
import type { ConversationReads, NameKey } from '../../../conversation/reads.js';
import { branchesThrough } from './branches-through.js';
import type { ListedTable } from '../../dialects/base/branches.js';
import { rankWindow, type Bounds } from '../rank-window.js';
import type { Reader } from '../reader.js';
import { byKey, inOrder, toBranch, toCheckpoint, type BranchRow, type Keyed } from '../rows.js';

type BranchReads = Pick<
  ConversationReads,
  | 'branches'
  | 'branchesById'
  | 'branchesByName'
  | 'activeBranches'
  | 'branchPages'
  | 'branchesAt'
  | 'branchesThrough'
  | 'checkpoints'
  | 'checkpointsById'
  | 'checkpointsByName'
  | 'checkpointPages'
  | 'checkpointsAt'
>;

export function branchReads(reader: Reader): BranchReads {
  const { sql, rows, list } = reader;
  /** Pages of each chat's rows, in two statements for all chats. */
  async function pages<R extends Keyed, T extends { seq: number }>(
    table: ListedTable,
    chatIds: readonly string[],
    page: PageRequest<number>,
    convert: (row: R) => T,
  ): Promise<Slice<T>[]> {
    const bounds = await rows<Bounds>(sql.rankBounds(table, chatIds, page.after, page.before), chatIds.length);
    const byChat = new Map(bounds.map((row) => [row.n, row]));
    const slices = chatIds.map((_, n) => rankWindow(page, byChat.get(n)));
    const lengths = slices.map(({ window }) => window.end - window.start);
    const order = ORDER[table];
    const [above, below] = order === 'ASC' ? [page.after, page.before] : [page.before, page.after];
    const ranges = chatIds.map((chatId) => ({ chatId, above: above ?? 0, below: below ?? MAX_LIST_LENGTH }));
    // Read from the page's end of the list.
    const from = page.last === null ? order : order === 'ASC' ? 'DESC' : 'ASC';
    const listed = sql.listed(table, ranges, from, longest(lengths));
    const lists = byKey(await rows<R>(listed, sum(lengths)), chatIds, convert);
    return slices.map(({ window, total }, n) => {
      const rows = (lists[n] ?? []).sort(order === 'ASC' ? oldestFirst : newestFirst);
      return sliceOf(rows, window, total);
    });
  }

  return {
    async branches(keys) {
      const found = (await rows<BranchRow>(sql.branches(keys), keys.length)).map(toBranch);
      return inOrder(keys.map(scopeKey), found, scopeKey);
    },

    async branchesById(ids) {
      const found = (await rows<BranchRow>(sql.branchesById(ids), ids.length)).map(toBranch);
      return inOrder(ids, found, (branch) => branch.id);
    },

    async branchesByName(keys) {
      const found = (await rows<BranchRow>(sql.branchesByName(keys), keys.length)).map(toBranch);
      return inOrder(keys.map(nameKey), found, nameKey);
    },

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

    async checkpoints(keys) {
      const found = (await rows<Checkpoint>(sql.checkpoints(keys), keys.length)).map(toCheckpoint);
      return inOrder(keys.map(scopeKey), found, scopeKey);
    },

    async checkpointsById(ids) {
      const found = (await rows<Checkpoint>(sql.checkpointsById(ids), ids.length)).map(toCheckpoint);
      return inOrder(ids, found, (checkpoint) => checkpoint.id);
    },

    async checkpointsByName(keys) {
      const found = (await rows<Checkpoint>(sql.checkpointsByName(keys), keys.length)).map(toCheckpoint);
      return inOrder(keys.map(nameKey), found, nameKey);
    },

    checkpointPages: (chatIds, page) =>
      pages<Checkpoint & Keyed, Checkpoint>('checkpoints', chatIds, page, toCheckpoint),

    async checkpointsAt(messages, atMost) {
      const found = await list<Checkpoint & Keyed>((limit) => sql.checkpointsAt(messages, limit), atMost);
      return byKey(found, messages, toCheckpoint).map((checkpoints) => checkpoints.sort(newestFirst));
    },
  };
}

/** The seq order of a table's list. */
const ORDER = { branches: 'ASC', checkpoints: 'DESC' } as const;

const oldestFirst = (one: { seq: number }, other: { seq: number }) => one.seq - other.seq;
const newestFirst = (one: { seq: number }, other: { seq: number }) => other.seq - one.seq;

const longest = (lengths: readonly number[]) => lengths.reduce((most, each) => Math.max(most, each), 0);
const sum = (lengths: readonly number[]) => lengths.reduce((total, each) => total + each, 0);

function nameKey({ chatId, name }: NameKey): string {
  return JSON.stringify([chatId, name]);
}
