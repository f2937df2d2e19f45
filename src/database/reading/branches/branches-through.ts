/** The branches through a message: those whose head is the message or a descendant. */
import { scopeKey } from '../../../conversation/chat-scoped.js';
import type { Branch } from '../../../conversation/model.js';
import { MAX_LIST_LENGTH } from '../../../conversation/paging.js';
import type { ConversationReads } from '../../../conversation/reads.js';
import { requestedTree } from './requested-tree.js';
import { headKey, type RequestedTree, type Located } from './link-walk.js';
import type { Reader } from '../reader.js';
import { byKey, toBranch, type BranchRow, type Keyed } from '../rows.js';

/** Branches per statement; fewer in the first, which is usually the last. */
const FIRST_BRANCHES = 500;
const BRANCHES_AT_ONCE = 5_000;

const BYTES_PER_BRANCH = 256;

/** The size of a branch in each list: every entry is an object of the response. */
const BYTES_PER_REFERENCE = 64;

export function branchesThrough(reader: Reader): ConversationReads['branchesThrough'] {
  return async (messages) => {
    const branches = await branchesOf(reader, [...new Set(messages.map((message) => message.chatId))]);
    const tree = await requestedTree(reader, messages, branches);
    const lists = listsOf(tree, messages, branches, (count) => reader.take(BYTES_PER_REFERENCE * count));
    return messages.map((message) => lists.get(scopeKey(message))?.branches ?? []);
  };
}

/** All branches of some chats, by chat, oldest first. Their number is unbounded, so they are read in steps. */
export async function branchesOf({ sql, rows, take }: Reader, chatIds: readonly string[]): Promise<Branch[]> {
  const lists = chatIds.map((): Branch[] => []);
  let count = FIRST_BRANCHES;
  for (let left = chatIds.map((_, n) => n); left.length > 0; count = BRANCHES_AT_ONCE) {
    const each = Math.ceil(count / left.length);
    const ranges = left.map((n) => ({
      chatId: chatIds[n] ?? '',
      above: lists[n]?.at(-1)?.seq ?? 0,
      below: MAX_LIST_LENGTH,
    }));
    const found = await rows<BranchRow & Keyed>(sql.listed('branches', ranges, 'ASC', each), each * left.length);
    take(BYTES_PER_BRANCH * found.length);
    const pieces = byKey(found, left, toBranch);
    for (const [k, piece] of pieces.entries()) {
      for (const branch of piece.sort((one, other) => one.seq - other.seq)) lists[left[k] ?? 0]?.push(branch);
    }
    left = left.filter((_, k) => pieces[k]?.length === each);
  }
  return lists.flat();
}

/** The branches through a message, shared by messages with the same ones. */
interface List {
  readonly branches: Branch[];
  /** The next list towards the root, which contains this one. */
  above: List | undefined;
}

/** The lists by requested message, in time and memory proportional to their total length. */
function listsOf(
  { nearest, above }: RequestedTree,
  messages: readonly Located[],
  branches: readonly Branch[],
  count: (references: number) => void,
) {
  /** The sources of a message's branches: the next messages below, and heads at the message. */
  const sides = new Map<string, number>();
  const endOf = (branch: Branch) => nearest.get(headKey(branch) ?? '');
  const ended = new Set(branches.map(endOf));
  for (const id of [...ended, ...above.values()]) if (id) sides.set(id, (sides.get(id) ?? 0) + 1);

  const lists = new Map<string, List>();
  for (const message of messages.toSorted((one, other) => other.depth - one.depth)) {
    const id = scopeKey(message);
    if (!sides.has(id)) continue;
    const list = lists.get(id) ?? { branches: [], above: undefined };
    lists.set(id, list);
    const upper = above.get(id);
    if (upper === undefined) continue;
    if (sides.get(upper) === 1) lists.set(upper, list);
    else {
      list.above = lists.get(upper) ?? { branches: [], above: undefined };
      lists.set(upper, list.above);
    }
  }

  for (const branch of branches) {
    const end = endOf(branch);
    let references = 0;
    for (let list = end === undefined ? undefined : lists.get(end); list !== undefined; list = list.above) {
      list.branches.push(branch);
      references++;
    }
    count(references);
  }
  return lists;
}
