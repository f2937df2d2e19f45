/** Lists of one user's own chats in the distributed form, on the copies by owner: see UserChatTable. */
import sql, { raw } from 'sql-template-tag';
import type { ListCopies } from '../../database/connection/connection.js';
import type { ChatFilter } from '../../conversation/reads.js';
import { chatStatements } from '../../database/dialects/base/chats.js';
import { fragmentsOf } from '../../database/dialects/base/fragments.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import type { Differences } from '../../database/dialects/differences.js';
import { postgresqlDifferences } from '../../database/dialects/postgresql/differences.js';

const differences: Differences = {
  ...postgresqlDifferences,
  table: (name) => (name === 'chats' ? raw('(SELECT * FROM user_chats WHERE "isListed")') : raw(name)),
};
const fragments = fragmentsOf(differences);
const ofCopies = chatStatements(differences, {
  ...fragments,
  chatColumns: () => sql`${fragments.columnsOfChats}, c."members"`,
});

/**
 * @param inShards the statements for all other lists: their conditions have indexes there
 * @param copies missing where no copies exist
 */
export function listsOfUsers(
  inShards: Dialect,
  copies: Pick<ListCopies, 'isComplete'> | undefined,
): Pick<Dialect, 'chats' | 'chatCount'> {
  const from = ({ userId, chatId, metadata, includeShared }: ChatFilter) => {
    const isOfUser = userId !== null && chatId == null && metadata.length === 0 && includeShared !== true;
    return isOfUser && copies?.isComplete === true ? ofCopies : inShards;
  };
  return {
    chats: (filter, ...page) => from(filter).chats(filter, ...page),
    chatCount: (filter) => from(filter).chatCount(filter),
  };
}
