/** Arguments of the dialect's statements: empty, short, long and awkward ones. */
import type { CandidateRequest } from '../../../src/database/dialects/requests.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { parseQuery } from '../../../src/search/query.js';

/** Every character that JSON escapes, and some that it does not. */
export const awkward = `${String.fromCharCode(...Array.from({ length: 31 }, (_, n) => n + 1))}"\\~'[]%_é😀`;
const times = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
/** An empty list, a list of one element, and a long list. */
export const lists = <T>(one: T, ...others: T[]): T[][] => [[], [one], times(100, [one, ...others]).flat()];

export const names = lists({ chatId: 'c', name: 'main' }, { chatId: awkward, name: awkward });
export const awkwardly = {
  id: awkward,
  parentId: awkward,
  name: awkward,
  type: awkward,
  jumpId: awkward,
  preview: awkward,
  contentHash: awkward,
  usage: awkward,
};
export const end = { updatedAt: 5, id: 'c' };
const ends = [null, end];
export const between = ends.flatMap((after) => ends.map((before) => ({ after, before })));
const values = ['{"a":[null]}', '[]', JSON.stringify(awkward), '1e+21', 'true', 'null'];
const members = (count: number) => values.slice(0, count).map((equals) => ({ key: awkward, equals }));
const spans = [{}, { updatedAfter: 0, updatedBefore: 2 ** 43 }, { chatId: awkward }];
const owners = [{ userId: null }, { userId: 'u' }, { userId: 'u', includeShared: true }];
export const filters = owners.flatMap((owner) =>
  [0, 1].flatMap((count) => spans.map((span) => ({ ...owner, metadata: members(count), ...span }))),
);
/** The maximum of a request: see src/graphql/chat/queries.ts. */
export const longFilter = { userId: 'u', includeShared: true, metadata: [...members(6), ...members(4)] };

/** The maximum of long words in a query: see src/search/query.ts. */
const words = Array.from({ length: 150 }, (_, n) =>
  String.fromCharCode(97 + (n % 26), 97 + n / 26).padEnd(64, 'q'),
).join(' ');
export const queries = ['naïve 我用', '"so it goes" -not begin*', words, `"${words}"`].map(parseQuery);
/** Search requests with all options, in every combination. */
export const requests = queries.flatMap((query) =>
  [null, 'u'].flatMap((userId) =>
    [null, ['c'], ['c', 'd']].flatMap((chatIds) =>
      [null, ['user', 'assistant']].flatMap((senders) =>
        [null, 2 ** 31 - 1].map((before): CandidateRequest => ({
          ...(before !== null && { createdAfter: 0, createdBefore: 2 ** 43 }),
          index: query.index,
          userId,
          sharedIds: before === null ? [] : ['c', awkward],
          chatIds,
          names: senders,
          before,
          limit: 10_000,
        })),
      ),
    ),
  ),
);

export const dialect = sqlserver('parley', { hasFullTextIndex: false });
export const withIndex = sqlserver('parley', { hasFullTextIndex: true });

/** The maximum size of inline data. */
export const INLINE = 16_384;
