import type { Branch } from '../../../conversation/model.js';
import { MAX_LIST_LENGTH } from '../../../conversation/paging.js';
import type { Reader } from '../reader.js';
import { byKey, toBranch, type BranchRow, type Keyed } from '../rows.js';

/** Branches per statement; fewer in the first, which is usually the last. */
const FIRST_BRANCHES = 500;
const BRANCHES_AT_ONCE = 5_000;

/** Approximate size of a branch in memory. */
const BYTES_PER_BRANCH = 256;

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
