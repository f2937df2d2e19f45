/** The statements of a dialect that find rows by keys, for tests of their plans. */
/// <reference types="vite/client" />
import type { Sql } from 'sql-template-tag';
import { isKept } from '../../../src/database/change-hooks.js';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { PLAIN_SCOPE, type Connection } from '../../../src/database/connection/connection.js';
import { guardsOf } from '../../../src/features/all-guards.js';
import { rowOf } from './row-of.js';
import { tablesWith } from '../../../src/conversation/table-rules.js';

export const placed = rowOf('messages');
export const chat = rowOf('chats');
export const text = rowOf('message_texts');
export const branch = { ...rowOf('branches'), headMessageId: 'm', messageCount: 1 };
export const event = { ...rowOf('chat_events'), type: 'BranchHeadMoved', payload: '{}' } as const;
const word = { term: 'a', isPrefix: false };
const beginning = { term: 'abc', isPrefix: true };
const wanted = { names: ['user'], createdAfter: 1, createdBefore: 9, before: 9, limit: 9 };
const inChat = { chatId: 'c', id: 'm' };
const other = { chatId: 'c', id: 'n' };
const names = [{ chatId: 'c', name: 'main' }];
const seqs = [{ chatId: 'c', firstSeq: 1, lastSeq: 9 }];
const logged = { chatId: 'c', firstSeq: 1, lastSeq: 9 };
const someEvents = {
  types: ['BranchCreated', 'BranchHeadMoved'] as const,
  actorId: 'u',
  createdAfter: 1,
  createdBefore: 9,
};
/** The maximum size of inline data. */
const INLINE = 16_384;
/** JSON members of all column types that need a conversion. */
const members = (['id', 'data', 'createdAt', 'seq'] as const).map((column) => ({ key: column, value: { column } }));
const tables = ['branches', 'checkpoints'] as const;

const deletion = { chatId: 'c', userId: 'u', seq: 1, actorId: 'u', createdAt: 0 };
export const draft = { ...rowOf('drafts'), onConflict: 'FORK', activation: 'AT_END' } as const;
const numbered = tablesWith({ removal: 'seq' });

/** Members that are not statements, and statements that read no table, an index in order, or a whole table. */
type Unkeyed =
  | ('differences' | 'failure' | 'rows' | 'metadata' | 'tidySearch' | 'lastText')
  | ('identity' | 'rowVersioning' | 'probe')
  | ('chats' | 'chatCount' | 'messagesAfter')
  | ('countAll' | 'countMissingDigests')
  | (
      | 'analyzer'
      | 'insertAnalyzer'
      | 'deleteOtherAnalyzer'
      | 'lockOtherAnalyzer'
      | 'nthText'
      | 'deleteTextsTo'
      | 'deleteAllTexts'
      | 'forgetTitleWords'
    );

/** Statements that find rows by keys. */
export type KeyedStatement = Exclude<keyof Dialect, Unkeyed>;

type OfFeature = (dialect: Dialect) => Record<string, Sql[]>;
const ofFeatures = import.meta.glob<OfFeature>('../../features/*/keyed-statements.ts', {
  eager: true,
  import: 'keyedStatements',
});

/** The statements of features that touch several partitions, with the reason. */
export const acrossChatsOfFeatures = Object.assign(
  {},
  ...Object.values(
    import.meta.glob<Record<string, string>>('../../features/*/keyed-statements.ts', {
      eager: true,
      import: 'ACROSS_CHATS',
    }),
  ),
) as Record<string, string>;

/** The statements of features that find rows by keys. */
export function featureStatements(dialect: Dialect): Record<string, Sql[]> {
  return Object.assign({}, ...Object.values(ofFeatures).map((statements) => statements(dialect))) as Record<
    string,
    Sql[]
  >;
}

/** Each statement of the core and of features, with enough argument variants to cover all of its forms. */
export function keyedStatements(dialect: Dialect): Record<KeyedStatement, Sql[]> {
  const kept = isKept({ hooks: guardsOf({ sql: dialect, scope: PLAIN_SCOPE } as Connection) });
  return {
    ...featureStatements(dialect),
    sharedChats: [dialect.sharedChats('u', 9)],
    chatsOfRows: [dialect.chatsOfRows('messages', ['m'])],
    filterSteps:
      dialect.filterSteps.matching === null ? [] : [dialect.filterSteps.matching(['c'], [{ key: 'a', equals: '1' }])],
    titleCandidates: [
      dialect.titleCandidates([], 9),
      dialect.titleCandidates(
        [
          { term: 'a', isPrefix: false },
          { term: 'b', isPrefix: true },
        ],
        9,
      ),
    ],
    outdatedTitles: [dialect.outdatedTitles('', 9), dialect.outdatedTitles('c', 9)],
    lockTitle: [dialect.lockTitle('c')],
    deleteTitleWords: [dialect.deleteTitleWords('c')],
    setIndexedTitle: [dialect.setIndexedTitle('c', 'a')],
    updateChat: [dialect.updateChat(chat)],
    insertTexts: [dialect.insertTexts([text])],
    deleteTexts: [dialect.deleteTexts({ chatId: 'c', firstSeq: 1, lastSeq: 9 })],
    updateBranches: [dialect.updateBranches('c', [branch])],
    deactivateBranch: [dialect.deactivateBranch('c')],
    combineWrites: [...dialect.combineWrites([dialect.insertTexts([text]), dialect.insert('chat_events', [event])])],
    branchNames: [dialect.branchNames('c', 'main', 'main', 9)],
    candidates: [[word], [word, beginning], []].flatMap((index) => [
      dialect.candidates({ ...wanted, index, userId: null, chatIds: ['c'] }),
      dialect.candidates({ ...wanted, index, userId: 'u', chatIds: null }),
      dialect.candidates({ ...wanted, index, userId: 'u', sharedIds: ['c'], chatIds: null }),
    ]),
    hits: [['c'], null].map((chatIds) => dialect.hits([1], { required: [' a '], excluded: [' b '] }, chatIds)),
    insert: [
      dialect.insert('chat_title_words', [rowOf('chat_title_words')]),
      dialect.insert('message_runs', [rowOf('message_runs')]),
      dialect.insert('message_sources', [rowOf('message_sources')]),
      dialect.insert('message_source_hashes', [rowOf('message_source_hashes')]),
      dialect.insert('branches', [branch]),
      dialect.insert('chat_events', [event]),
      dialect.insert('message_files', [rowOf('message_files')]),
      dialect.insert('messages', [placed]),
    ],
    insertRows: [
      dialect.insertRows('drafts', [draft]),
      dialect.insertRows('draft_chunks', [{ draftId: 'd', startOffset: 0, endOffset: 1, chunks: '[1]', chatId: 'c' }]),
      dialect.insertRows('chats', [chat]),
      dialect.insertRows('chat_forks', [{ chatId: 'c', fromChatId: 'o', fromMessageId: null }]),
      dialect.insertRows('chat_members', [rowOf('chat_members')]),
      dialect.insertRows('chat_imports', [rowOf('chat_imports')]),
      dialect.insertRows('checkpoints', [rowOf('checkpoints')]),
    ],
    openRows: [dialect.openRows('drafts', ['c'])],
    partedRows: [dialect.partedRows('drafts', 'c', 9)],
    deleteParted: [dialect.deleteParted('drafts', draft)],
    deleteRowsOfChat: [dialect.deleteRowsOfChat('access_tokens', 'c'), dialect.deleteRowsOfChat('shares', 'c')],
    partsAfter: [dialect.partsAfter('drafts', draft, 1, 9)],
    nthPart: [dialect.nthPart('drafts', draft, 9)],
    deleteParts: [dialect.deleteParts('drafts', draft, 9)],
    messageSizes: [dialect.messageSizes({ chatId: 'c', firstSeq: 1, lastSeq: 9 })],
    chatsById: [dialect.chatsById(['c'])],
    chatsWithBranch: [dialect.chatsWithBranch(['c'])],
    lockChat: [dialect.lockChat('c')],
    tip: [dialect.tip('c', null), dialect.tip('c', 'main')],
    ladder: [dialect.ladder(inChat)],
    assistantAbove: [dialect.assistantAbove(inChat, 9)],
    messages: [dialect.messages([inChat], INLINE)],
    linksOf: [dialect.linksOf(inChat)],
    messagesById: [dialect.messagesById(['m'], INLINE)],
    clearPreviews: [dialect.clearPreviews(['m'])],
    messageData: [dialect.messageData([inChat])],
    updateDigests: [dialect.updateDigests('c', [{ id: 'm', contentHash: 'h', usage: '[]' }])],
    digestSizes: [
      dialect.digestSizes({ chatId: 'c', seq: 1 }, false, 9),
      dialect.digestSizes({ chatId: 'c', seq: 1 }, true, 9),
    ],
    digestRows: [
      dialect.digestRows({ chatId: 'c', seq: 1 }, { chatId: 'd', seq: 9 }, false),
      dialect.digestRows({ chatId: 'c', seq: 1 }, { chatId: 'd', seq: 9 }, true),
      dialect.digestRows({ chatId: 'c', seq: 1 }, { chatId: 'c', seq: 9 }, true),
    ],
    digestSources: [dialect.digestSources({ chatId: 'c', seq: 1 }, { chatId: 'd', seq: 9 })],
    updateUsage: [dialect.updateUsage('c', null)],
    messageColumn: [dialect.messageColumn([inChat], 'createdBy'), dialect.messageColumn([inChat], 'usage')],
    pathOfRuns:
      dialect.pathOfRuns === null ? [] : [dialect.pathOfRuns({ chatId: 'c', messageId: 'm', length: 9 }, INLINE)],
    paths: [
      dialect.paths(
        [
          { chatId: 'c', messageId: 'm', toDepth: null, length: 9 },
          { chatId: 'c', messageId: 'm', toDepth: 3, length: 1 },
        ],
        INLINE,
      ),
    ],
    placesOnPaths: [dialect.placesOnPaths([{ chatId: 'c', headId: 'm', messageId: 'n' }])],
    commonAncestors: [dialect.commonAncestors([{ chatId: 'c', baseId: 'm', headId: 'n' }], INLINE)],
    newestSummaries: [1, 8].map((count) => dialect.newestSummaries([{ chatId: 'c', beforeSeq: 9 }], count)),
    newestChildren: [dialect.newestChildren([inChat, other], 9)],
    leafBelow: [dialect.leafBelow(inChat, 9)],
    childCounts: [
      dialect.childCounts([
        { chatId: 'c', parentId: 'm' },
        { chatId: 'c', parentId: null },
      ]),
    ],
    children: [dialect.children([{ chatId: 'c', parentId: null, start: 0, end: 5 }], INLINE)],
    messageCounts: [dialect.messageCounts(['c'])],
    newestMessages: [dialect.newestMessages(['c'], INLINE)],
    placesById: [dialect.placesById(['m'])],
    sourcesOf: [dialect.sourcesOf([{ chatId: 'c', seq: 3 }])],
    sourceHashesOf: [dialect.sourceHashesOf([{ chatId: 'c', seq: 3 }])],
    sourceHashesInRange: [dialect.sourceHashesInRange(logged)],
    sourcesInRange: [dialect.sourcesInRange(logged)],
    sourcesInRanges: [dialect.sourcesInRanges(seqs)],
    sourcesOfChats: [dialect.sourcesOfChats(['c'])],
    drawnOnBounds: [
      dialect.drawnOnBounds([{ chatId: 'c', seq: 1 }], null, null),
      dialect.drawnOnBounds([{ chatId: 'c', seq: 1 }], 1, 9),
    ],
    drawingOn: (['ASC', 'DESC'] as const).map((order) =>
      dialect.drawingOn([{ chatId: 'c', seq: 1, above: 0, below: 9 }], order, 9, INLINE),
    ),
    messageRanges: [dialect.messageRanges(seqs, INLINE)],
    graphs: [dialect.graphs(['c'])],
    runStarts: [dialect.runStarts(['c'], 9)],
    nodesAt: [dialect.nodesAt([{ chatId: 'c', seqs: [1, 9] }])],
    json:
      dialect.json === null
        ? []
        : [
            dialect.json.path({ chatId: 'c', messageId: 'm', length: 9 }, members, INLINE),
            dialect.json.graph('c', members),
          ],
    branches: [dialect.branches([inChat])],
    branchesById: [dialect.branchesById(['b'])],
    branchesByName: [dialect.branchesByName(names)],
    activeBranches: [dialect.activeBranches(['c'])],
    branchesAt: [dialect.branchesAt([inChat], 9)],
    oldestBranchAt: [dialect.oldestBranchAt('c', 'm')],
    ancestors: [dialect.ancestors([{ chatId: 'c', messageId: 'm', toDepth: 3 }])],
    linksAbove: [dialect.linksAbove([{ chatId: 'c', messageId: 'm', toDepth: 3 }])],
    rankBounds: tables.flatMap((table) => [
      dialect.rankBounds(table, ['c'], null, null),
      dialect.rankBounds(table, ['c'], 1, 9),
    ]),
    listed: tables.flatMap((table) => [
      dialect.listed(table, [{ chatId: 'c', above: 0, below: 9 }], 'ASC', 9),
      dialect.listed(table, [{ chatId: 'c', above: 0, below: 9 }], 'DESC', 9),
    ]),
    checkpointsAt: [dialect.checkpointsAt([inChat], 9)],
    checkpoints: [dialect.checkpoints([inChat])],
    checkpointsById: [dialect.checkpointsById(['p'])],
    checkpointsByName: [dialect.checkpointsByName(names)],
    events: [dialect.events(seqs)],
    filteredEvents: (['first', 'last'] as const).flatMap((from) => [
      dialect.filteredEvents([{ ...logged, branchId: 'b' }], someEvents, from, 9),
      dialect.filteredEvents([{ ...logged, branchId: null }], { ...someEvents, types: null, actorId: null }, from, 9),
    ]),
    eventsAfter: [dialect.eventsAfter('c', 1, 9)],
    logStates: [dialect.logStates(['c', 'd'])],
    chatStatuses: [dialect.chatStatuses([{ chatId: 'c', after: 1 }])],
    changedSince: [dialect.changedSince({ at: 2 ** 43, id: 'c' }, 9)],
    deletedSince: [dialect.deletedSince({ at: 2 ** 43, id: 'c' }, 9)],
    headNow: [dialect.headNow('c', null), dialect.headNow('c', 'main')],
    markDeleted: [dialect.markDeleted('c')],
    deletedChat: [dialect.deletedChat('c')],
    lockDeletedChat: [dialect.lockDeletedChat('c')],
    remains: [dialect.remains(1, kept), dialect.remains(1, kept, ['c', 'd'])],
    importOf: [dialect.importOf('c')],
    renewImport: [dialect.renewImport('c', 'h', 1)],
    takeOverImport: [dialect.takeOverImport(rowOf('chat_imports'), 1)],
    deleteImport: [dialect.deleteImport('c')],
    deleteEndedImport: [dialect.deleteEndedImport('c', 1)],
    setCreatedAt: [dialect.setCreatedAt('c', 1)],
    deleteChat: [dialect.deleteChat('c')],
    nthNewest: numbered.map((table) => dialect.nthNewest(table, 'c', 9, 2)),
    deleteRange: numbered.map((table) => dialect.deleteRange(table, 'c', 1, 9)),
    deletionOf: [dialect.deletionOf('c')],
    deleteDeletion: [dialect.deleteDeletion('c')],
    insertDeletion: [dialect.insertDeletion(deletion)],
    wholeMessages: [dialect.wholeMessages('c', 1, 9)],
    checkpointsOf: [dialect.checkpointsOf('c')],
    lostNames: [dialect.lostNames({ chatId: 'c', firstSeq: 1, lastSeq: 9 })],
    renameBranch: [dialect.renameBranch({ chatId: 'c', id: 'b', name: 'x' })],
    deleteBranch: [dialect.deleteBranch({ chatId: 'c', id: 'b' })],
    owners:
      dialect.owners === null
        ? []
        : [dialect.owners.texts('c', 1, 9), dialect.owners.index('c', 'u', { first: 1, last: 9 })],
    deleteCheckpoint: [dialect.deleteCheckpoint({ chatId: 'c', id: 'p' })],
    nearestActivation: [dialect.nearestActivation(logged, 'first'), dialect.nearestActivation(logged, 'last')],
    headEvents: [dialect.headEvents(logged, ['b', 'd'])],
  };
}
