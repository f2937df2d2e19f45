import { createRequire } from 'node:module';
import type * as Adapter from '@prisma/adapter-mssql';
import { raw, type Sql } from 'sql-template-tag';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqlServer } from '../../../src/database/opening/connections/sqlserver.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/opening/database-url.js';
import { TABLE_CHECKS } from '../../../src/database/checking/table-checks.js';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import type { CandidateRequest } from '../../../src/database/dialects/requests.js';
import * as fullText from '../../../src/database/dialects/sqlserver/full-text.js';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { bundledMigrations } from '../../../src/database/migrations/bundled.js';
import { checkMigrations } from '../../../src/database/migrations/check.js';
import { migrateSqlServer } from '../../../src/database/migrations/sqlserver.js';
import { parseQuery } from '../../../src/search/query.js';
import { columnFaults, parameterFaults, schemaOf, tSqlFaults } from './t-sql.js';

interface Statement {
  text: string;
  values: Record<string, unknown>;
}

const migrations = bundledMigrations('sqlserver');
const schema = schemaOf(migrations.map(({ sql }) => sql).join('\n'));

/** Statements that differ only in values are parsed once. */
const parsed = new Map<string, string[]>();

function faultsOf({ text, values }: Statement): string[] {
  const faults = parsed.get(text) ?? [...tSqlFaults(text), ...columnFaults(text, schema)];
  parsed.set(text, faults);
  return [...faults, ...parameterFaults(text, values)];
}

function expectSound(statements: readonly Statement[]): void {
  expect(statements).not.toEqual([]);
  for (const statement of statements)
    expect({ statement, faults: faultsOf(statement) }).toEqual({ statement, faults: [] });
}

/** The statement as the driver sends it, which a test below checks. */
function asSent({ strings, values }: Sql): Statement {
  const text = strings.reduce((before, after, n) => `${before}@P${n}${after}`);
  return { text, values: Object.fromEntries(values.map((value, n) => [`P${n + 1}`, value])) };
}

/** Every character that JSON escapes, and some that it does not. */
const awkward = `${String.fromCharCode(...Array.from({ length: 31 }, (_, n) => n + 1))}"\\~'[]%_é😀`;
const times = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
/** An empty list, a list of one element, and a long list. */
const lists = <T>(one: T, ...others: T[]): T[][] => [[], [one], times(100, [one, ...others]).flat()];

const ids = lists('a', 'b', awkward);
const scoped = lists({ chatId: 'c', id: 'a' }, { chatId: awkward, id: awkward });
const names = lists({ chatId: 'c', name: 'main' }, { chatId: awkward, name: awkward });
const ranges = lists({ chatId: 'c', above: 0, below: 5 }, { chatId: awkward, above: 5, below: 6 });
const seqs = lists({ chatId: 'c', firstSeq: 1, lastSeq: 9 }, { chatId: awkward, firstSeq: 2, lastSeq: 1 });
const depths = lists({ chatId: 'c', messageId: 'm', toDepth: 3 }, { chatId: awkward, messageId: awkward, toDepth: 0 });
const parents = lists({ chatId: 'c', parentId: 'm' }, { chatId: awkward, parentId: null });
const chat = { id: 'c', userId: 'u', title: null, metadata: '{}', createdAt: 0, updatedAt: 2 ** 43, version: 1 };
const message = {
  id: 'm',
  chatId: 'c',
  name: 'user',
  type: 'message',
  createdAt: 0,
  preview: '',
  data: '1',
  jumpId: 'm',
  createdBy: 'u',
};
const placed = { ...message, parentId: null as string | null, depth: 0, seq: 1, siblingIndex: 0 };
const awkwardly = { id: awkward, parentId: awkward, name: awkward, type: awkward, jumpId: awkward, preview: awkward };
const text = { messageId: 'm', chatId: 'c', name: 'user', createdAt: 0, seq: 1, length: 1, terms: ' a ' };

const branch = {
  id: 'b',
  chatId: 'c',
  name: 'main',
  headMessageId: 'm' as string | null,
  messageCount: 1,
  isActive: true,
  createdAt: 0,
  seq: 1,
};
const event = { chatId: 'c', seq: 1, type: 'BranchHeadMoved' as const, actorId: 'u', payload: '{}', createdAt: 0 };

const draft = {
  ...{ id: 'd', chatId: 'c', branchId: 'b', parentId: 'm' as string | null, onConflict: 'FORK' as const },
  ...{ name: awkward, metadata: null as string | null, idleTimeout: 60, startedBy: 'u', startedAt: 2 ** 43 },
  ...{ updatedAt: 2 ** 43, length: 1, bytes: 4, stoppedBy: null, endedAt: null, messageId: null },
  ...{ activation: 'AT_END' as const, requestedBranchId: 'b', requestedHeadId: 'm' },
};
const lease = { chatId: 'c', userId: awkward, holder: awkward, expiresAt: 2 ** 43 };
const piece = { startOffset: 0, endOffset: 1, chunks: '[1]' };

const end = { updatedAt: 5, id: 'c' };
const ends = [null, end];
const between = ends.flatMap((after) => ends.map((before) => ({ after, before })));
const values = ['{"a":[null]}', '[]', JSON.stringify(awkward), '1e+21', 'true', 'null'];
const members = (count: number) => values.slice(0, count).map((equals) => ({ key: awkward, equals }));
const spans = [{}, { updatedAfter: 0, updatedBefore: 2 ** 43 }];
const filters = [null, 'u'].flatMap((userId) =>
  [0, 1].flatMap((count) => spans.map((span) => ({ userId, metadata: members(count), ...span }))),
);
/** The maximum of a request: see src/graphql/chat/queries.ts. */
const longFilter = { userId: 'u', metadata: [...members(6), ...members(4)] };

/** The maximum of long words in a query: see src/search/query.ts. */
const words = Array.from({ length: 150 }, (_, n) =>
  String.fromCharCode(97 + (n % 26), 97 + n / 26).padEnd(64, 'q'),
).join(' ');
const queries = ['naïve 我用', '"so it goes" -not begin*', words, `"${words}"`].map(parseQuery);
/** Search requests with all options, in every combination. */
const requests = queries.flatMap((query) =>
  [null, 'u'].flatMap((userId) =>
    [null, ['c'], ['c', 'd']].flatMap((chatIds) =>
      [null, ['user', 'assistant']].flatMap((senders) =>
        [null, 2 ** 31 - 1].map((before): CandidateRequest => ({
          ...(before !== null && { createdAfter: 0, createdBefore: 2 ** 43 }),
          index: query.index,
          userId,
          chatIds,
          names: senders,
          before,
          limit: 10_000,
        })),
      ),
    ),
  ),
);

const dialect = sqlserver('parley', { hasFullTextIndex: false });
const withIndex = sqlserver('parley', { hasFullTextIndex: true });
const tables = ['branches', 'checkpoints'] as const;
const numbered = ['messages', ...tables, 'chat_events'] as const;
const checkpoint = { id: 'p', chatId: 'c', name: 'x', messageId: 'm', createdAt: 2 ** 43, seq: 1 };
const at = [
  { chatId: '', seq: 0 },
  { chatId: awkward, seq: 9 },
];

/** The maximum size of inline data. */
const INLINE = 16_384;
const logged = { chatId: 'c', firstSeq: 1, lastSeq: 9 };

/** Every statement, in all of its forms. */
const statements: Record<
  Exclude<keyof Dialect, 'failure' | 'rows' | 'json' | 'metadata' | 'tidySearch' | 'lastText' | 'owners'>,
  Sql[]
> = {
  lockChat: [dialect.lockChat('c')],
  tip: [dialect.tip('c', null), dialect.tip('c', awkward)],
  ladder: [dialect.ladder({ chatId: 'c', id: 'm' })],
  assistantAbove: [dialect.assistantAbove({ chatId: 'c', id: 'm' }, 256)],
  insertChat: [dialect.insertChat(chat), dialect.insertChat({ ...chat, title: awkward })],
  updateChat: [dialect.updateChat(chat)],
  insertMessages: lists(placed, { ...placed, ...awkwardly, data: awkward }).map(dialect.insertMessages),
  insertRuns: lists({ chatId: 'c', seq: 3, parentSeq: 1 }, { chatId: awkward, seq: 2, parentSeq: null }).map(
    dialect.insertRuns,
  ),
  insertTexts: lists(text, { ...text, messageId: awkward, name: awkward }).map(dialect.insertTexts),
  deleteTexts: [dialect.deleteTexts({ chatId: awkward, firstSeq: 1, lastSeq: 9 })],
  insertBranches: lists(branch, { ...branch, headMessageId: null, isActive: false, name: awkward }).map(
    dialect.insertBranches,
  ),
  renameBranch: [dialect.renameBranch('b', awkward)],
  deleteBranch: [dialect.deleteBranch('b')],
  lostNames: [dialect.lostNames(logged)],
  transfers: [dialect.transfers({ chatId: awkward, seq: 9 }, 9)],
  updatePayload: [dialect.updatePayload({ chatId: awkward, seq: 9 }, awkward)],
  updateBranches: lists(branch, { ...branch, headMessageId: null, isActive: false }).map(dialect.updateBranches),
  deactivateBranch: [dialect.deactivateBranch('c')],
  insertEvents: lists(event, { ...event, actorId: awkward, payload: awkward }).map(dialect.insertEvents),
  combineWrites: [
    ...dialect.combineWrites([
      dialect.insertMessages([placed]),
      dialect.updateBranches([branch]),
      dialect.updateChat(chat),
    ]),
  ],
  branchNames: [dialect.branchNames('c', 'main', "main's", 1000)],
  chatsById: ids.map(dialect.chatsById),
  chatsWithBranch: ids.map(dialect.chatsWithBranch),
  messages: scoped.map((keys) => dialect.messages(keys, INLINE)),
  messagesById: ids.map((keys) => dialect.messagesById(keys, INLINE)),
  clearPreviews: ids.map(dialect.clearPreviews),
  messageData: scoped.map(dialect.messageData),
  messageAuthors: scoped.map(dialect.messageAuthors),
  bytesOfUser: [dialect.bytesOfUser(awkward)],
  bytesOfFiles: [dialect.bytesOfFiles()],
  filesOfUsers: ids.map((keys) => dialect.filesOfUsers(keys, keys)),
  markFilesUsed: ids.map((keys) => dialect.markFilesUsed(keys, 2 ** 43)),
  markUserFilesUsed: ids.map((keys) => dialect.markUserFilesUsed(awkward, keys, 2 ** 43)),
  giveFiles: ids.map((keys) => dialect.giveFiles(awkward, keys, 2 ** 43)),
  giveFilesOfChat: [dialect.giveFilesOfChat('c', awkward, 2 ** 43)],
  insertMessageFiles: lists(
    { chatId: 'c', messageId: 'm', position: 0, fileId: 'f', name: null },
    { chatId: 'c', messageId: awkward, position: 1, fileId: 'f', name: awkward },
  ).map(dialect.insertMessageFiles),
  filesOfChat: [dialect.filesOfChat(awkward, '', 500), dialect.filesOfChat('c', 'f', 500)],
  referencesOfChat: [dialect.referencesOfChat({ chatId: awkward, firstSeq: 1, lastSeq: 9 })],
  copyMessageFiles: lists(
    { chatId: 'c', messageId: 'm', position: 0, fileId: 'f', name: null },
    { chatId: awkward, messageId: awkward, position: 1, fileId: 'f', name: awkward },
  ).map(dialect.copyMessageFiles),
  filesById: ids.map(dialect.filesById),
  knownKeys: ids.map(dialect.knownKeys),
  filesOfMessages: ids.map(dialect.filesOfMessages),
  filesInMessages: lists({ fileId: 'f', messageId: 'm' }, { fileId: 'f', messageId: awkward }).map((keys) =>
    dialect.filesInMessages(keys),
  ),
  replaceContent: [dialect.replaceContent('f', { lostKey: awkward, storageKey: 'k' })],
  fileInAnyMessage: [dialect.fileInAnyMessage('f', awkward), dialect.fileInAnyMessage('f', null)],
  insertFile: [
    dialect.insertFile({ id: 'f', mediaType: awkward, size: 2 ** 40, storageKey: 'k', createdAt: 0, usedAt: 2 ** 43 }),
  ],
  userFilesAfter: [dialect.userFilesAfter('', '', 500), dialect.userFilesAfter(awkward, 'f', 500)],
  unusedUserFiles: lists({ userId: 'u', fileId: 'f' }, { userId: awkward, fileId: 'f' }).map((keys) =>
    dialect.unusedUserFiles(keys, 2 ** 43),
  ),
  deleteUnusedUserFile: [dialect.deleteUnusedUserFile(awkward, 'f', 2 ** 43)],
  filesAfter: [dialect.filesAfter('', 500), dialect.filesAfter('f', 500)],
  unusedFiles: ids.map((keys) => dialect.unusedFiles(keys, 2 ** 43)),
  deleteUnusedFile: [dialect.deleteUnusedFile('f', 2 ** 43)],
  abandonFilesOfUser: [dialect.abandonFilesOfUser(awkward)],
  deleteFilesOfUser: [dialect.deleteFilesOfUser(awkward)],
  insertContent: [dialect.insertContent({ storageKey: 'k', content: 'AA==' })],
  contentOf: [dialect.contentOf('k')],
  deleteContent: [dialect.deleteContent('k')],
  insertRemoval: [dialect.insertRemoval({ storageKey: 'k', removeAfter: 2 ** 43 })],
  withdrawRemoval: [dialect.withdrawRemoval('k', 2 ** 43)],
  hastenRemoval: [dialect.hastenRemoval('k', 2 ** 43)],
  dueRemovals: [dialect.dueRemovals(2 ** 43, 100)],
  deleteRemoval: [dialect.deleteRemoval('k')],
  messagesBy: [dialect.messagesBy(awkward, 'c', 1, 200)],
  renameInMessages: [dialect.renameInMessages(awkward, awkward, { chatId: 'c', firstSeq: 1, lastSeq: 9 })],
  paths: lists(
    { chatId: 'c', messageId: 'm', toDepth: 3, length: 1 },
    { chatId: awkward, messageId: awkward, toDepth: null, length: 9 },
  ).map((pieces) => dialect.paths(pieces, INLINE)),
  placesOnPaths: lists(
    { chatId: 'c', headId: 'm', messageId: 'n' },
    { chatId: awkward, headId: awkward, messageId: awkward },
  ).map(dialect.placesOnPaths),
  newestChildren: scoped.map((keys) => dialect.newestChildren(keys, 1000)),
  leafBelow: [dialect.leafBelow({ chatId: 'c', id: 'm' }, 256)],
  childCounts: parents.map(dialect.childCounts),
  children: parents.map((keys) =>
    dialect.children(
      keys.map((key) => ({ ...key, start: 0, end: 5 })),
      INLINE,
    ),
  ),
  messageCounts: ids.map(dialect.messageCounts),
  newestMessages: ids.map((keys) => dialect.newestMessages(keys, INLINE)),
  messageRanges: seqs.map((keys) => dialect.messageRanges(keys, INLINE)),
  graphs: ids.map(dialect.graphs),
  runStarts: ids.map((keys) => dialect.runStarts(keys, 1000)),
  nodesAt: ids.map((keys) => dialect.nodesAt(keys.map((chatId) => ({ chatId, seqs: [1, 9] })))),
  branches: scoped.map(dialect.branches),
  branchesById: ids.map(dialect.branchesById),
  branchesByName: names.map(dialect.branchesByName),
  activeBranches: ids.map(dialect.activeBranches),
  branchesAt: scoped.map((keys) => dialect.branchesAt(keys, 1000)),
  oldestBranchAt: [dialect.oldestBranchAt('c', awkward)],
  ancestors: depths.map(dialect.ancestors),
  linksAbove: depths.map(dialect.linksAbove),
  linksOf: [dialect.linksOf({ chatId: awkward, id: awkward })],
  rankBounds: tables.flatMap((table) =>
    ids.flatMap((chatIds) => [
      dialect.rankBounds(table, chatIds, null, null),
      dialect.rankBounds(table, chatIds, 1, 9),
    ]),
  ),
  listed: tables.flatMap((table) =>
    ranges.flatMap((keys) => [dialect.listed(table, keys, 'ASC', 1000), dialect.listed(table, keys, 'DESC', 1000)]),
  ),
  checkpointsAt: scoped.map((keys) => dialect.checkpointsAt(keys, 1000)),
  checkpoints: scoped.map(dialect.checkpoints),
  checkpointsById: ids.map(dialect.checkpointsById),
  checkpointsByName: names.map(dialect.checkpointsByName),
  events: seqs.map(dialect.events),
  filteredEvents: [null, awkward].flatMap((branchId) =>
    seqs.flatMap((listed) => [
      dialect.filteredEvents(
        listed.map((range) => ({ ...range, branchId })),
        { types: ['BranchCreated', 'BranchDeleted'], actorId: awkward, createdAfter: 0, createdBefore: 2 ** 43 },
        'last',
        1001,
      ),
      dialect.filteredEvents(
        listed.map((range) => ({ ...range, branchId })),
        { types: null, actorId: null, createdAfter: null, createdBefore: null },
        'first',
        1001,
      ),
    ]),
  ),
  eventsAfter: [dialect.eventsAfter('c', 1, 500)],
  logStates: ids.map(dialect.logStates),
  standings: lists({ chatId: 'c', after: 0 }, { chatId: awkward, after: 9 }).map(dialect.standings),
  changedSince: [dialect.changedSince({ at: 2 ** 43, id: awkward }, 100)],
  deletedSince: [dialect.deletedSince({ at: 2 ** 43, id: awkward }, 100)],
  headNow: [dialect.headNow('c', null), dialect.headNow('c', "main's")],
  nearestActivation: [dialect.nearestActivation(logged, 'first'), dialect.nearestActivation(logged, 'last')],
  headEvents: ids.map((branchIds) => dialect.headEvents(logged, branchIds)),
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
    between.map((range) => dialect.filterSteps.listed(filter, range, 'newest', 1000)),
  ),
  users: ['', awkward].flatMap((search) =>
    [null, { lastActiveAt: 2 ** 43, id: awkward }].flatMap((at) => [
      dialect.users(search, { after: at, before: null }, 'first', 1001),
      dialect.users(search, { after: null, before: at }, 'last', 1001),
    ]),
  ),
  userCount: ['', awkward].map(dialect.userCount),
  userMessageCounts: ids.map(dialect.userMessageCounts),
  chatCount: filters.map(dialect.chatCount),
  candidates: [...requests.map(dialect.candidates), ...requests.map(withIndex.candidates)],
  hits: queries.flatMap((query) => [[], [1, 2 ** 31 - 1]].map((found) => dialect.hits(found, query))),
  messagesAfter: ['', 'm'].map((id) => dialect.messagesAfter(id, 100, INLINE)),
  chatsAfter: ['', 'c'].map((id) => dialect.chatsAfter(id, 100)),
  messageSizes: [dialect.messageSizes({ chatId: 'c', firstSeq: 1, lastSeq: 9 })],
  lockDraft: [dialect.lockDraft('d')],
  draftsOf: ids.slice(1).map(dialect.draftsOf),
  draftStandings: ids.slice(1).map(dialect.draftStandings),
  insertDraft: [dialect.insertDraft(draft), dialect.insertDraft({ ...draft, parentId: null, metadata: awkward })],
  updateDraft: [dialect.updateDraft(draft)],
  deleteDraft: [dialect.deleteDraft('d')],
  draftsToRemove: [dialect.draftsToRemove('c', 1_000)],
  insertPiece: [dialect.insertPiece('d', { ...piece, chunks: awkward })],
  draftPieces: [dialect.draftPieces(draft, 1, 100)],
  piecesOf: ids.slice(1).map((some) => dialect.piecesOf(some, 1)),
  nthPiece: [dialect.nthPiece('d', 1_000)],
  deletePieces: [dialect.deletePieces('d', 9)],
  idleDrafts: [dialect.idleDrafts(2 ** 43, 100)],
  endedDrafts: [dialect.endedDrafts(2 ** 43, 100)],
  rowVersioning: [dialect.rowVersioning!()],
  identity: [dialect.identity()],
  look: [dialect.look()],
  markDeleted: [dialect.markDeleted('c')],
  lockDeletedChat: [dialect.lockDeletedChat('c')],
  remains: [dialect.remains(2 ** 43), ...ids.slice(1).map((some) => dialect.remains(2 ** 43, some))],
  deleteChat: [dialect.deleteChat('c')],
  nthNewest: numbered.map((table) => dialect.nthNewest(table, 'c', 9, 1_000)),
  deleteRange: numbered.map((table) => dialect.deleteRange(table, 'c', 1, 9)),
  deleteDeletionsBefore: [dialect.deleteDeletionsBefore(2 ** 43)],
  deletionOf: [dialect.deletionOf('c')],
  deleteDeletion: [dialect.deleteDeletion('c')],
  insertDeletion: [dialect.insertDeletion({ chatId: 'c', userId: 'u', seq: 1, actorId: awkward, createdAt: 2 ** 43 })],
  importOf: [dialect.importOf('c')],
  insertImport: [null, 9].map((afterSeq) => dialect.insertImport({ ...lease, afterSeq })),
  renewImport: [dialect.renewImport('c', awkward, 2 ** 43)],
  takeOverImport: [dialect.takeOverImport(lease, 2 ** 43)],
  deleteImport: [dialect.deleteImport('c')],
  deleteEndedImport: [dialect.deleteEndedImport('c', 2 ** 43)],
  deleteImportsOf: [dialect.deleteImportsOf(awkward)],
  setCreatedAt: [dialect.setCreatedAt('c', 2 ** 43)],
  chatsOfUser: [dialect.chatsOfUser('u', 100)],
  deletionsNaming: [dialect.deletionsNaming('u', '', 100)],
  renameInDeletions: (['userId', 'actorId'] as const).map((column) =>
    dialect.renameInDeletions(column, 'u', 'erased', { after: '', to: awkward }),
  ),
  renameInDrafts: [dialect.renameInDrafts('stoppedBy', 'u', awkward)],
  eventsBy: at.map((position) => dialect.eventsBy('u', position, 100)),
  renameInEvents: at.map((to) => dialect.renameInEvents('u', 'erased', { after: at[0]!, to })),
  wholeMessages: [dialect.wholeMessages('c', 1, 9)],
  checkpointsOf: [dialect.checkpointsOf('c')],
  countChats: [dialect.countChats()],
  countDrafts: [dialect.countDrafts()],
  countPieces: [dialect.countPieces()],
  checkedRows: TABLE_CHECKS.flatMap((check) => [
    dialect.checkedRows(check, null, 9),
    dialect.checkedRows(
      check,
      check.key.map((name) => (/seq|Offset/.test(name) ? 1 : awkward)),
      9,
    ),
  ]),
  chatsOfRows: [dialect.chatsOfRows('messages', ['m', awkward])],
  countAll: [dialect.countAll('messages')],
  countRows: [...numbered, 'message_texts' as const].flatMap((table) => [
    dialect.countRows(table),
    dialect.countRows(table, 'c'),
  ]),
  insertCheckpoints: lists(checkpoint, { ...checkpoint, name: awkward })
    .slice(1)
    .map(dialect.insertCheckpoints),
  deleteCheckpoint: [dialect.deleteCheckpoint('p')],
  analyzer: [dialect.analyzer()],
  insertAnalyzer: [dialect.insertAnalyzer(3)],
  deleteOtherAnalyzer: [dialect.deleteOtherAnalyzer(3)],
  deleteAllTexts: [dialect.deleteAllTexts()],
};

describe('SQL Server accepts every statement of its dialect', () => {
  it('and the list is complete', () => {
    const made = Object.entries(dialect).flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
    const shown = Object.keys(statements).filter((name) => name !== 'filterSteps');
    expect([...shown, 'failure', 'metadata'].sort()).toEqual(made.sort());
  });

  it.each(Object.entries(statements))('%s', (_, forms) => expectSound(forms.map(asSent)));
});

/** A driver that records its statements, and returns empty results. */
const driver = vi.hoisted(() => {
  const sent: { text: string; values: Record<string, unknown> }[] = [];
  /** Operations other than statements, in order. */
  const steps: string[] = [];
  /** The rows of a statement that names `answered`. */
  const answer: object[] & { columns?: object } = [];
  const request = () => {
    const values: Record<string, unknown> = {};
    const send = async (text: string) => {
      sent.push({ text, values });
      steps.push(text);
      if (text.includes('refused')) throw new Error('refused');
      if (text.includes('[answered]')) return { recordset: answer, rowsAffected: [0] };
      return { recordset: [], rowsAffected: [0] };
    };
    const parameters: Record<string, object> = {};
    const made = {
      parameters,
      input(name: string, value: unknown) {
        values[name] = value;
        parameters[name] = {};
        return made;
      },
      query: send,
      batch: send,
      cancel: () => {},
    };
    return made;
  };
  const does = (step: string) => async () => void steps.push(step);
  const transaction = () => ({ begin: does('begin'), commit: does('commit'), rollback: does('rollback'), request });
  return {
    sent,
    steps,
    answer,
    pool: { request, transaction, close: does('close'), config: {}, pool: { on: () => {} } },
  };
});
vi.mock('@prisma/adapter-mssql', async (original) => {
  const { PrismaMssql } = await original<typeof Adapter>();
  return {
    PrismaMssql: class extends PrismaMssql {
      override connect = async () => ({ underlyingDriver: () => driver.pool }) as never;
    },
  };
});

describe('SQL Server accepts every statement', () => {
  const url = parseDatabaseUrl('sqlserver://host:1433;database=d;user=u;password=p;schema=parley') as ServerUrl;
  beforeEach(() => void driver.sent.splice(0));

  it('of the migrations and their bookkeeping', async () => {
    await migrateSqlServer(url);
    const texts = driver.sent.map((statement) => statement.text);
    for (const { sql } of migrations) expect(texts).toContain(sql.replaceAll('[dbo]', '[parley]'));
    for (const statement of fullText.createFullTextIndex('parley')) expect(texts).toContain(statement);
    expectSound(driver.sent);
  });

  it('of the check for applied migrations', async () => {
    const connection = await openSqlServer(url, {});
    await expect(checkMigrations(url, connection)).rejects.toThrow('it lacks the migrations');
    expectSound(driver.sent);
    await connection.close();
  });

  it('of a read, with its values as parameters', async () => {
    const { read, write, close } = await openSqlServer(url, {});
    driver.sent.splice(0);
    const [query, change] = [dialect.branchesByName(names[2]!), dialect.insertChat(chat)];
    await read((db) => db.rows(query));
    await write('c', (tx) => tx.run(change));
    await close();
    expect(driver.sent).toEqual([query, change].map(asSent));
  });

  it('and returns each BIGINT as a number', async () => {
    const requireOfAdapter = createRequire(createRequire(import.meta.url).resolve('@prisma/adapter-mssql'));
    const { BigInt, NVarChar } = requireOfAdapter('mssql') as Record<'BigInt' | 'NVarChar', object>;
    const columns = { at: { name: 'at', type: BigInt }, id: { name: 'id', type: NVarChar } };
    driver.answer.push({ at: '8796093022208', id: '12' }, { at: null, id: null });
    Object.defineProperty(driver.answer, 'columns', { value: columns });
    const { read, close } = await openSqlServer(url, {});
    const rows = await read((db) => db.rows(raw('SELECT [answered]')));
    await close();
    expect(rows).toEqual([
      { at: 2 ** 43, id: '12' },
      { at: null, id: null },
    ]);
  });

  it.each([
    ['none', 'commit'],
    ['the first', 'rollback'],
    ['the last', 'rollback'],
  ])('of a transaction in order, and ends it correctly when %s fails', async (which, ending) => {
    const { write, close } = await openSqlServer(url, {});
    driver.steps.splice(0);
    const statement = (name: string) => raw(name === which ? 'SELECT [refused]' : `SELECT [${name}]`);
    const work = write('c', async (tx) => {
      tx.runLast(statement('the last'));
      await tx.run(statement('the first'));
    });
    if (ending === 'rollback') await expect(work).rejects.toThrow('refused');
    else await work;
    await close();
    const sent = which === 'the first' ? ['the first'] : ['the first', 'the last'];
    expect(driver.steps).toEqual([
      'begin',
      ...sent.map((name) => statement(name).sql),
      ending,
      'close',
      'close',
      'close',
    ]);
  });

  it('of a new connection, and of one that responds slowly', async () => {
    const { read, close } = await openSqlServer(url, {});
    await read(() => vi.waitUntil(() => driver.sent.some(({ text }) => text === 'SELECT 1 AS one'), 10_000));
    await close();
    expect(driver.sent.length).toBe(2);
    expectSound(driver.sent);
  });

  it.each(Object.entries(fullText))('%s', (_, make) => {
    expectSound([make('parley')].flat().map((text) => ({ text, values: {} })));
  });
});

describe('invalid statements are found', () => {
  it.each([
    ['a parenthesis that is not closed', 'SELECT COUNT(* AS [total] FROM [t]'],
    ['a parenthesis that is not open', 'SELECT [a] FROM [t])'],
    ['a comma too many', 'SELECT [a], FROM [t]'],
    ['a text without its end', "SELECT 'a FROM [t]"],
    ['LIMIT', 'SELECT [a] FROM [t] ORDER BY [a] LIMIT 5'],
    ['TOP without parentheses', 'SELECT TOP @P1 [a] FROM [t]'],
    ['OFFSET without an order', 'SELECT [a] FROM [t] OFFSET 5 ROWS'],
    ['ON CONFLICT', 'INSERT INTO [t] ([a]) VALUES (1) ON CONFLICT DO NOTHING'],
    ['RETURNING', 'INSERT INTO [t] ([a]) VALUES (1) RETURNING [a]'],
    ['FOR UPDATE', 'SELECT [a] FROM [t] WHERE [b] = 1 FOR UPDATE'],
    ['WITH RECURSIVE', 'WITH RECURSIVE w AS (SELECT 1 AS [a]) SELECT [a] FROM w'],
    ['LATERAL', 'SELECT [a] FROM [t] CROSS JOIN LATERAL (SELECT 1 AS [b]) x'],
    ['USING', 'SELECT [a] FROM [t] INNER JOIN [u] USING ([a])'],
    ['NULLS LAST', 'SELECT [a] FROM [t] ORDER BY [a] NULLS LAST'],
    ['a comparison of rows', 'SELECT [a] FROM [t] WHERE ([a], [b]) > (1, 2)'],
    ['a condition among the columns', 'SELECT [a] = 1, [b] IS NULL FROM [t]'],
    ['a column for a condition', 'SELECT [a] FROM [t] WHERE [b]'],
    ['a boolean', 'SELECT [a] FROM [t] WHERE [b] = true'],
    ['||', "SELECT [a] || 'b' AS [c] FROM [t]"],
    ['::', 'SELECT [a]::int FROM [t]'],
    ["another's parameter", 'SELECT [a] FROM [t] WHERE [b] = $1'],
    ["another's function", 'SELECT IFNULL([a], 0) AS [b] FROM [t]'],
    ['a function of later years', "SELECT STRING_AGG([a], ',') AS [b] FROM [t]"],
    ['an argument of later years', 'SELECT [a] FROM [t] WHERE ISJSON([a], OBJECT) = 1'],
    ['IS DISTINCT FROM', 'SELECT [a] FROM [t] WHERE [a] IS NOT DISTINCT FROM [b]'],
    ['WINDOW', 'SELECT SUM([a]) OVER w AS [b] FROM [t] WINDOW w AS (PARTITION BY [a])'],
    ['a table variable', 'DECLARE @keys TABLE ([id] NVARCHAR(255))'],
    ['WAITFOR', "WAITFOR DELAY '00:00:01'"],
    ['a reserved word for a name', 'SELECT k.end FROM [t] k'],
    ['a derived table without a name', 'SELECT [a] FROM (SELECT 1 AS [a])'],
    ['an ordered subquery', 'SELECT x.[a] FROM (SELECT [a] FROM [t] ORDER BY [a]) x'],
    ['mistakes in what is executed', "EXEC(N'CREATE SCHEMA IF NOT EXISTS [a]')"],
    ['a missing column', 'SELECT m.[chat] FROM [dbo].[messages] m'],
    ['a missing quoted column', 'SELECT "chat" FROM [dbo].[messages]'],
    ['a parameter without a value', 'SELECT [a] FROM [t] WHERE [b] = @P2'],
    ['a value without a parameter', 'SELECT [a] FROM [t]', { P1: 'a' }],
    ['half a number', 'SELECT [a] FROM [t] WHERE [b] = @P1', { P1: 0.5 }],
    ['too long a pattern', 'SELECT [a] FROM [t] WHERE [b] LIKE @P1', { P1: 'a'.repeat(4001) }],
  ])('%s', (_, text, values: Statement['values'] = {}) => expect(faultsOf({ text, values })).not.toEqual([]));

  const walk = (step: string, end = 'OPTION (MAXRECURSION 0)') =>
    `WITH w AS (SELECT m.[id] FROM [dbo].[messages] m UNION ALL SELECT ${step}) SELECT w.[id] FROM w ${end}`;
  it('with names for its columns is accepted, and errors in it are found', () => {
    const named = walk('w.[id] FROM w').replace('w AS', 'w([id]) AS');
    expect(faultsOf({ text: named, values: {} })).toEqual([]);
    expect(faultsOf({ text: named.replace('UNION ALL', 'UNION'), values: {} })).not.toEqual([]);
  });

  it.each([
    ['of 100 steps', walk('w.[id] FROM w', '')],
    ['with TOP', walk('TOP (1) w.[id] FROM w')],
    ['with an outer join', walk('w.[id] FROM w LEFT JOIN [dbo].[messages] p ON p.[parentId] = w.[id]')],
    ['with an aggregate', walk('MAX(w.[id]) FROM w')],
    ['that forks', walk('w.[id] FROM w INNER JOIN w v ON v.[id] = w.[id]')],
    ['joined by UNION', walk('w.[id] FROM w').replace('UNION ALL', 'UNION')],
  ])('a walk %s', (_, text) => {
    expect(faultsOf({ text: walk('w.[id] FROM w'), values: {} })).toEqual([]);
    expect(faultsOf({ text, values: {} })).not.toEqual([]);
  });
});
