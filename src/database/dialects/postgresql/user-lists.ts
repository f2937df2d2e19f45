/** Lists of one user's own chats in the distributed form, on the copies by owner: see UserChatTable. */
import sql, { raw } from 'sql-template-tag';
import type { ChatFilter } from '../../../conversation/reads.js';
import { chatStatements } from '../base/chats.js';
import { fragmentsOf } from '../base/fragments.js';
import type { Dialect } from '../dialect.js';
import type { Differences } from '../differences.js';
import { postgresqlDifferences } from './differences.js';

const copies: Differences = {
  ...postgresqlDifferences,
  table: (name) => (name === 'chats' ? raw('(SELECT * FROM user_chats WHERE "isListed")') : raw(name)),
};
const fragments = fragmentsOf(copies);
const ofCopies = chatStatements(copies, {
  ...fragments,
  chatColumns: () => sql`${fragments.columnsOfChats}, c."members"`,
});

/** Copies of chats by owner: see UserChats. */
export interface ListCopies {
  /** Whether all chats are copied. */
  readonly isComplete: boolean;
}

type Lists = 'chats' | 'chatCount';

/**
 * @param inShards the statements for all other lists: their conditions have indexes there
 * @param copies missing where no copies exist
 */
export function listsOfUsers(inShards: Pick<Dialect, Lists>, copies: ListCopies | undefined) {
  const from = (filter: ChatFilter) => (copies?.isComplete === true && isOfUser(filter) ? ofCopies : inShards);
  const lists: Pick<Dialect, Lists> = {
    chats: (filter, ...page) => from(filter).chats(filter, ...page),
    chatCount: (filter) => from(filter).chatCount(filter),
  };
  return lists;
}

function isOfUser({ userId, chatId, metadata, includeShared }: ChatFilter): boolean {
  return userId !== null && chatId == null && metadata.length === 0 && includeShared !== true;
}
