import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { userStatements } from '../../../src/features/users/feature.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export const keyedStatements = ({ differences }: Dialect): Record<string, Sql[]> => ({
  userMessageCounts: [userStatements(differences).userMessageCounts(['u'])],
});

/** Those of them that touch several partitions, with the reason. */
export const ACROSS_CHATS = { userMessageCounts: 'reads the chats of a user' };

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const { userPage, userCount } = userStatements(differences);
  const searches = ['', "u'"];
  return {
    userPage: searches.flatMap((search) =>
      [null, { lastActiveAt: 2 ** 43, id: "u'" }].flatMap((at) => [
        userPage(search, { after: at, before: null }, 'first', 1001),
        userPage(search, { after: null, before: at }, 'last', 1001),
      ]),
    ),
    userCount: searches.map(userCount),
  };
}
