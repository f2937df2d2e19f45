/** Arguments of the dialect's statements: empty, short, long and awkward ones. */
import type { WebhookDelivery } from '../../../src/conversation/webhooks/webhook-events.js';
import type { CandidateRequest } from '../../../src/database/dialects/requests.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { parseQuery } from '../../../src/search/query.js';

/** Every character that JSON escapes, and some that it does not. */
export const awkward = `${String.fromCharCode(...Array.from({ length: 31 }, (_, n) => n + 1))}"\\~'[]%_é😀`;
export const times = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
/** An empty list, a list of one element, and a long list. */
export const lists = <T>(one: T, ...others: T[]): T[][] => [[], [one], times(100, [one, ...others]).flat()];

export const ids = lists('a', 'b', awkward);
export const scoped = lists({ chatId: 'c', id: 'a' }, { chatId: awkward, id: awkward });
export const names = lists({ chatId: 'c', name: 'main' }, { chatId: awkward, name: awkward });
export const ranges = lists({ chatId: 'c', above: 0, below: 5 }, { chatId: awkward, above: 5, below: 6 });
export const seqs = lists({ chatId: 'c', firstSeq: 1, lastSeq: 9 }, { chatId: awkward, firstSeq: 2, lastSeq: 1 });
export const depths = lists(
  { chatId: 'c', messageId: 'm', toDepth: 3 },
  { chatId: awkward, messageId: awkward, toDepth: 0 },
);
export const parents = lists({ chatId: 'c', parentId: 'm' }, { chatId: awkward, parentId: null });
export const chat = {
  id: 'c',
  userId: 'u',
  title: null,
  metadata: '{}',
  createdAt: 0,
  updatedAt: 2 ** 43,
  version: 1,
  usage: null,
};
export const message = {
  id: 'm',
  chatId: 'c',
  name: 'user',
  type: 'message',
  createdAt: 0,
  preview: '',
  data: '1',
  jumpId: 'm',
  createdBy: 'u',
  contentHash: null as string | null,
  usage: null as string | null,
};
export const placed = { ...message, parentId: null as string | null, depth: 0, seq: 1, siblingIndex: 0 };
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
export const monthlyUsage = {
  id: awkward,
  month: '2026-11',
  userId: awkward,
  model: '',
  messages: 2 ** 43,
  inputTokens: null as number | null,
  outputTokens: 2 ** 43,
  reasoningTokens: null,
  cachedInputTokens: 0,
};
export const text = { messageId: 'm', chatId: 'c', name: 'user', createdAt: 0, seq: 1, length: 1, terms: ' a ' };

export const branch = {
  id: 'b',
  chatId: 'c',
  name: 'main',
  headMessageId: 'm' as string | null,
  messageCount: 1,
  isActive: true,
  createdAt: 0,
  seq: 1,
  createdBy: 'u' as string | null,
};
export const event = {
  chatId: 'c',
  seq: 1,
  type: 'BranchHeadMoved' as const,
  actorId: 'u',
  payload: '{}',
  createdAt: 0,
};

export const draft = {
  ...{ id: 'd', chatId: 'c', branchId: 'b', parentId: 'm' as string | null, onConflict: 'FORK' as const },
  ...{ name: awkward, metadata: null as string | null, idleTimeout: 60, startedBy: 'u', startedAt: 2 ** 43 },
  ...{ updatedAt: 2 ** 43, length: 1, bytes: 4, stoppedBy: null, endedAt: null, messageId: null },
  ...{ activation: 'AT_END' as const, requestedBranchId: 'b', requestedHeadId: 'm' },
};
export const deletedChat = {
  id: 'c',
  userId: awkward,
  title: null,
  updatedAt: 1,
  deletedAt: 2 ** 43,
  restorableUntil: 2 ** 43,
};
export const lease = { chatId: 'c', userId: awkward, holder: awkward, expiresAt: 2 ** 43 };
export const piece = { startOffset: 0, endOffset: 1, chunks: '[1]' };

export const end = { updatedAt: 5, id: 'c' };
export const ends = [null, end];
export const between = ends.flatMap((after) => ends.map((before) => ({ after, before })));
export const values = ['{"a":[null]}', '[]', JSON.stringify(awkward), '1e+21', 'true', 'null'];
export const members = (count: number) => values.slice(0, count).map((equals) => ({ key: awkward, equals }));
export const spans = [{}, { updatedAfter: 0, updatedBefore: 2 ** 43 }, { chatId: awkward }];
const owners = [{ userId: null }, { userId: 'u' }, { userId: 'u', includeShared: true }];
export const filters = owners.flatMap((owner) =>
  [0, 1].flatMap((count) => spans.map((span) => ({ ...owner, metadata: members(count), ...span }))),
);
/** The maximum of a request: see src/graphql/chat/queries.ts. */
export const longFilter = { userId: 'u', includeShared: true, metadata: [...members(6), ...members(4)] };

/** The maximum of long words in a query: see src/search/query.ts. */
export const words = Array.from({ length: 150 }, (_, n) =>
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
export const tables = ['branches', 'checkpoints'] as const;
export const numbered = ['messages', 'message_sources', ...tables, 'chat_events'] as const;
export const checkpoint = { id: 'p', chatId: 'c', name: 'x', messageId: 'm', createdAt: 2 ** 43, seq: 1 };
export const at = [
  { chatId: '', seq: 0 },
  { chatId: awkward, seq: 9 },
];

/** The maximum size of inline data. */
export const INLINE = 16_384;
export const logged = { chatId: 'c', firstSeq: 1, lastSeq: 9 };

export const delivery: WebhookDelivery = {
  id: 'w',
  webhook: 'hook',
  type: 'chat.created',
  chatId: 'c',
  seq: 1,
  userId: 'u',
  actorId: awkward,
  ids: '{}',
  createdAt: 0,
  state: 'PENDING',
  attempts: 1,
  dueAt: 2 ** 43,
  lastAttemptAt: null,
  lastStatus: 500,
  lastError: 'status 500',
};
