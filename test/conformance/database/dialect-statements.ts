/// <reference types="vite/client" />
/** Every statement of the dialect of SQL Server, with arguments. */
import type { Row } from '../../../src/conversation/tables.js';
import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import {
  branch,
  chat,
  draft,
  event,
  featureStatements,
  keyedStatements,
  placed,
  text,
  type KeyedStatement,
} from '../../support/database/keyed-statements.js';
import {
  awkward,
  lists,
  awkwardly,
  end,
  between,
  filters,
  longFilter,
  queries,
  requests,
  withIndex,
  INLINE,
  dialect,
} from './statement-arguments.js';

/** The statements that find no rows by keys, and forms of others that depend on the length or the characters of their values. */
const more = {
  insert: [
    ...lists(placed, { ...placed, ...awkwardly, data: awkward }).map((rows) => dialect.insert('messages', rows)),
    ...lists<Row<'branches'>>(branch, { ...branch, headMessageId: null, isActive: false, name: awkward }).map((rows) =>
      dialect.insert('branches', rows),
    ),
    ...lists(event, { ...event, actorId: awkward, payload: awkward }).map((rows) =>
      dialect.insert('chat_events', rows),
    ),
  ],
  insertTexts: lists(text, { ...text, messageId: awkward, name: awkward }).map(dialect.insertTexts),
  updateBranches: lists<Parameters<typeof dialect.updateBranches>[1][number]>(branch, {
    ...branch,
    headMessageId: null,
    isActive: false,
  }).map((rows) => dialect.updateBranches('c', rows)),
  combineWrites: [
    ...dialect.combineWrites([
      dialect.insert('messages', [placed]),
      dialect.updateBranches('c', [branch]),
      dialect.updateChat(chat),
    ]),
  ],
  countMissingDigests: [dialect.countMissingDigests()],
  chats: [
    dialect.chats(longFilter, { after: end, before: end }, 'newest', 1001),
    ...filters.flatMap((filter) =>
      between.flatMap((range) => [
        dialect.chats(filter, range, 'newest', 1001),
        dialect.chats(filter, range, 'oldest', 1001),
      ]),
    ),
  ],
  filterSteps: filters.flatMap((filter) =>
    between.flatMap((range) =>
      [null, ['c', awkward]].map((among) => dialect.filterSteps.listed(filter, range, 'newest', 1000, among)),
    ),
  ),
  forgetTitleWords: [dialect.forgetTitleWords()],
  chatCount: filters.map(dialect.chatCount),
  candidates: [...requests.map(dialect.candidates), ...requests.map(withIndex.candidates)],
  hits: queries.flatMap((query) => [[], [1, 2 ** 31 - 1]].map((found) => dialect.hits(found, query, null))),
  messagesAfter: ['', 'm'].map((id) => dialect.messagesAfter(id, 100, INLINE)),
  insertRows: [
    dialect.insertRows('drafts', [draft]),
    dialect.insertRows('drafts', [{ ...draft, parentId: null, metadata: awkward }]),
    dialect.insertRows('draft_chunks', [{ draftId: 'd', startOffset: 0, endOffset: 1, chunks: awkward, chatId: 'c' }]),
  ],
  rowVersioning: [dialect.rowVersioning!()],
  identity: [dialect.identity()],
  probe: [dialect.probe()],
  countAll: [dialect.countAll('messages')],
  analyzer: [dialect.analyzer()],
  insertAnalyzer: [dialect.insertAnalyzer(3)],
  deleteOtherAnalyzer: [dialect.deleteOtherAnalyzer(3)],
  lockOtherAnalyzer: [dialect.lockOtherAnalyzer(1)],
  nthText: [dialect.nthText(999)],
  deleteTextsTo: [dialect.deleteTextsTo(7)],
  deleteAllTexts: [dialect.deleteAllTexts()],
} satisfies Partial<Record<keyof Dialect, Sql[]>>;

/** SQL Server has no statements for JSON and for shards. */
const { json, owners, ...keyed } = keyedStatements(dialect);

const others = import.meta.glob<(dialect: Dialect) => Record<string, Sql[]>>('../../features/*/keyed-statements.ts', {
  eager: true,
  import: 'otherStatements',
});

/** Those of features. */
export const ofFeatures = Object.assign(
  featureStatements(dialect),
  ...Object.values(others).map((statements) => (statements as typeof statements | undefined)?.(dialect)),
) as Record<string, Sql[]>;

/** Every statement, in all of its forms. */
export const statements: Record<Exclude<KeyedStatement, 'json' | 'owners'> | keyof typeof more, Sql[]> = {
  ...keyed,
  ...more,
  ...ofFeatures,
};
