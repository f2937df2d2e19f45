/** Branches and checkpoints. */
import { GoneError } from '../../conversation/errors.js';
import type { Branch, Checkpoint } from '../../conversation/model.js';
import { pageWindow, sliceOf, type PageRequest, type Slice } from '../../conversation/paging.js';
import type { ConversationReads, NameKey } from '../../conversation/reads.js';
import { branchesThrough } from './branches-through.js';
import type { Table } from '../dialects/dialect.js';
import type { Reader } from './reader.js';
import { byKey, inOrder, toBranch, toCheckpoint, type BranchRow, type CheckpointRow, type Keyed } from './rows.js';

type BranchReads = Pick<
  ConversationReads,
  | 'branches'
  | 'branchesByName'
  | 'activeBranches'
  | 'branchPages'
  | 'branchesAt'
  | 'branchesThrough'
  | 'checkpoints'
  | 'checkpointsByName'
  | 'checkpointPages'
  | 'checkpointsAt'
>;

export function branchReads(reader: Reader): BranchReads {
  const { sql, rows } = reader;
  /** Pages of each chat's rows in a table, two statements for all of them. */
  async function rankedPages<R extends Keyed, T>(
    table: Table,
    chatIds: readonly string[],
    page: PageRequest<number>,
    convert: (row: R) => T,
  ): Promise<Slice<T>[]> {
    const bounds = await rows<Bounds>(sql.rankBounds(table, chatIds, page.after, page.before));
    const byChat = new Map(bounds.map((row) => [Number(row.n), row]));
    const slices = chatIds.map((_, n) => rankWindow(page, byChat.get(n)));
    const ranges = slices.map(({ window }, n) => ({ chatId: chatIds[n] ?? '', ...window }));
    const lists = byKey(await rows<R>(sql.ranked(table, ranges)), chatIds, convert);
    return slices.map(({ window, total }, n) => sliceOf(lists[n] ?? [], window, total));
  }

  const branches: BranchReads['branches'] = async (ids) =>
    inOrder(ids, (await rows<BranchRow>(sql.branchesById(ids))).map(toBranch), (branch) => branch.id);

  return {
    branches,

    async branchesByName(keys) {
      const found = (await rows<BranchRow>(sql.branchesByName(keys))).map(toBranch);
      return inOrder(keys.map(nameKey), found, nameKey);
    },

    async activeBranches(chatIds) {
      const found = (await rows<BranchRow>(sql.activeBranches(chatIds))).map(toBranch);
      return inOrder(chatIds, found, (branch) => branch.chatId).map((branch, n) => {
        if (branch === null) throw new GoneError(`Chat "${chatIds[n]}"`);
        return branch;
      });
    },

    branchPages: (chatIds, page) => rankedPages<BranchRow & Keyed, Branch>('branches', chatIds, page, toBranch),

    async branchesAt(messageIds) {
      return byKey(await rows<BranchRow & Keyed>(sql.branchesAt(messageIds)), messageIds, toBranch);
    },

    branchesThrough: branchesThrough(reader),

    async checkpoints(ids) {
      const found = (await rows<CheckpointRow>(sql.checkpointsById(ids))).map(toCheckpoint);
      return inOrder(ids, found, (checkpoint) => checkpoint.id);
    },

    async checkpointsByName(keys) {
      const found = (await rows<CheckpointRow>(sql.checkpointsByName(keys))).map(toCheckpoint);
      return inOrder(keys.map(nameKey), found, nameKey);
    },

    checkpointPages: (chatIds, page) =>
      rankedPages<CheckpointRow & Keyed, Checkpoint>('checkpoints', chatIds, page, toCheckpoint),

    async checkpointsAt(messageIds) {
      return byKey(await rows<CheckpointRow & Keyed>(sql.checkpointsAt(messageIds)), messageIds, toCheckpoint);
    },
  };
}

interface Bounds extends Keyed {
  total: number | bigint;
  low: number | bigint;
  high: number | bigint;
}

/** The ranks of a page among the rows between its cursors; a chat without rows has no bounds. */
function rankWindow(page: PageRequest<number>, bounds: Bounds | undefined) {
  const { low, high, total } = bounds ?? { low: 0, high: 0, total: 0 };
  const ranks = { ...page, after: Number(low) - 1, before: Number(high) };
  return { window: pageWindow(ranks, Number(total)), total: Number(total) };
}

function nameKey({ chatId, name }: NameKey): string {
  return JSON.stringify([chatId, name]);
}
