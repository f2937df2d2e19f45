/** Operations on one chat, in an order in which they succeed. */
import {
  createCheckpoint,
  deleteCheckpoint,
  restoreCheckpoint,
} from '../../../src/conversation/branches/checkpoints.js';
import { btw, rewind, switchBranch, switchToSibling } from '../../../src/conversation/branches/rewind.js';
import { deleteBranch, renameBranch } from '../../../src/conversation/branches/branches.js';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { appendToDraft, discardDraft, stopDraft } from '../../../src/features/drafts/change-draft.js';
import { finishDraft } from '../../../src/features/drafts/finish-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { addMember, removeMember, transferChat } from '../../../src/features/members/members.js';
import type { LogReads, ListReads } from '../../../src/conversation/log-reads.js';
import type { ConversationReads } from '../../../src/conversation/reads.js';
import { editMessage, saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';

export interface OpenChat {
  store: ConversationStore;
  reads: ConversationReads;
  log: LogReads;
  list: ListReads;
}

export const CHAT_ID = 'chat';

const viewer = { userId: 'u', isAdmin: true };
const page = { first: 5, last: null, after: null, before: null };
const newMessage = (id: string) => ({ id, name: 'user', content: { text: `word ${id}` } });
const at = (id: string) => ({ chatId: CHAT_ID, id });
const event = { actorId: 'u', types: ['BranchHeadMoved'] as const, createdAfter: null, createdBefore: null };
const search = { query: 'word', userId: null, names: null, first: 5, after: null };
/** The first message, and the last one of main. */
const [ROOT, LEAF] = ['m1', 'm5'];

/** The operations by name. */
export const CHAT_OPERATIONS: Readonly<Record<string, (chat: OpenChat) => Promise<unknown>>> = {
  'create a chat': ({ store }) => createChat(store, viewer, { id: CHAT_ID }),
  'update it': ({ store }) => updateChat(store, viewer, { id: CHAT_ID, title: 'x', metadata: { a: 1 } }),
  save: ({ store }) =>
    saveMessages(store, viewer, { chatId: CHAT_ID, messages: ['m1', 'm2', 'm3', 'm4', LEAF].map(newMessage) }),
  'save with sources': ({ store }) =>
    saveMessages(store, viewer, {
      chatId: CHAT_ID,
      parentId: 'm4',
      branchName: 'side',
      messages: [{ ...newMessage('s'), sourceIds: ['m1'] }],
    }),
  edit: ({ store }) => editMessage(store, viewer, { chatId: CHAT_ID, messageId: 'm3', content: { text: 'edited' } }),
  rewind: ({ store }) => rewind(store, viewer, { chatId: CHAT_ID, messageId: 'm2' }),
  btw: ({ store }) => btw(store, viewer, { chatId: CHAT_ID }),
  'switch to a branch': ({ store }) => switchBranch(store, viewer, { chatId: CHAT_ID, name: 'main' }),
  'switch to a sibling': ({ store }) => switchToSibling(store, viewer, { chatId: CHAT_ID, messageId: 'm3' }),
  'rename a branch': ({ store }) => renameBranch(store, viewer, { chatId: CHAT_ID, name: 'main', newName: 'other' }),
  'delete a branch': async ({ store }) => {
    await switchBranch(store, viewer, { chatId: CHAT_ID, name: 'other' });
    await deleteBranch(store, viewer, { chatId: CHAT_ID, name: 'side' });
  },
  'create a checkpoint': ({ store }) => createCheckpoint(store, viewer, { chatId: CHAT_ID, name: 'x' }),
  'move a checkpoint': ({ store }) => createCheckpoint(store, viewer, { chatId: CHAT_ID, name: 'x' }),
  'restore a checkpoint': ({ store }) => restoreCheckpoint(store, viewer, { chatId: CHAT_ID, name: 'x' }),

  chain: ({ reads }) => reads.chains([{ chatId: CHAT_ID, messageId: LEAF, length: 5 }]),
  'chain as JSON': ({ reads }) =>
    reads.chainJson({ chatId: CHAT_ID, messageId: LEAF, length: 5 }, [{ key: 'id', value: { column: 'id' } }]),
  'pages of a path': async ({ reads }) => {
    await reads.pathPages([{ chatId: CHAT_ID, headMessageId: LEAF, messageCount: 5 }], page);
    await reads.placesOnPaths([{ chatId: CHAT_ID, headId: LEAF, messageId: 'm2' }]);
  },
  'pages of lists': async ({ reads }) => {
    await reads.messagePages([CHAT_ID], page);
    await reads.branchPages([CHAT_ID], page);
    await reads.checkpointPages([CHAT_ID], page);
    await reads.childPages([{ chatId: CHAT_ID, parentId: 'm2' }], page);
    await reads.children([{ chatId: CHAT_ID, parentId: null, siblingIndex: 0 }]);
  },
  graph: async ({ reads }) => {
    await reads.graphs([CHAT_ID]);
    await reads.graphJson({ chatId: CHAT_ID, length: 5 }, [{ key: 'id', value: { column: 'id' } }]);
  },
  outline: async ({ reads }) => {
    const [spans = []] = await reads.outlines([CHAT_ID]);
    await reads.segments([{ chatId: CHAT_ID, spans }]);
  },
  log: async ({ reads, log, list }) => {
    await reads.eventPages([CHAT_ID], page);
    await reads.eventsAt([{ chatId: CHAT_ID, seq: 1 }]);
    await reads.filteredEventPages([{ chatId: CHAT_ID, branchId: 'b' }], { page, filter: event });
    await reads.headsAt(CHAT_ID, 9, ['b']);
    await log.eventsAfter(CHAT_ID, 1, 9);
    await log.logStates([CHAT_ID]);
    await log.headNow(CHAT_ID, null);
    await log.nearestActivation({ chatId: CHAT_ID, firstSeq: 1, lastSeq: 99 }, 'last');
    await log.lostName({ chatId: CHAT_ID, firstSeq: 1, lastSeq: 99 }, 'main');
    await list.chatStatuses([{ chatId: CHAT_ID, after: 0 }]);
  },
  'search within a chat': async ({ reads }) => {
    const [slice] = await reads.hitPages([CHAT_ID], search);
    if (slice?.rows.length !== page.first) throw new Error('the search has found too few messages');
    await reads.hitPages([CHAT_ID], { ...search, query: 'wor* -none', userId: 'u' });
  },
  'a chat and its branches': async ({ reads }) => {
    await reads.chats([CHAT_ID]);
    await reads.chatCount({ userId: null, chatId: CHAT_ID, metadata: [] });
    await reads.activeBranches([CHAT_ID]);
    await reads.branchesByName([{ chatId: CHAT_ID, name: 'other' }]);
    await reads.branches([at('b')]);
    await reads.checkpointsByName([{ chatId: CHAT_ID, name: 'x' }]);
    await reads.checkpoints([at('p')]);
    await reads.messageCounts([CHAT_ID]);
    await reads.newestMessages([CHAT_ID]);
  },
  'messages and their places': async ({ reads }) => {
    await reads.messages([at(ROOT)]);
    await reads.messageColumn([at(ROOT)], 'contentHash');
    await reads.latestLeaves([at(ROOT)]);
    await reads.branchesAt([at(LEAF)], 9);
    await reads.checkpointsAt([at(LEAF)], 9);
    await reads.branchesThrough([{ ...at(ROOT), depth: 0 }]);
    await reads.newestSummaries([{ chatId: CHAT_ID, headId: LEAF, beforeSeq: 9 }]);
  },
  sources: async ({ reads }) => {
    await reads.sources([{ chatId: CHAT_ID, seq: 6 }]);
    await reads.sourceHashes([{ chatId: CHAT_ID, seq: 6 }]);
    await reads.sourcesOfChats([CHAT_ID]);
    await reads.sourcesInRanges([{ chatId: CHAT_ID, firstSeq: 1, lastSeq: 9 }]);
    await reads.drawnOnPages([{ chatId: CHAT_ID, seq: 1 }], page);
  },
  compare: ({ reads }) => reads.commonAncestors([{ chatId: CHAT_ID, baseId: LEAF, headId: 's' }]),

  'start drafts': async ({ store }) => {
    for (const id of ['d1', 'd2']) await startDraft(store, viewer, { chatId: CHAT_ID, id });
  },
  'append to a draft': ({ store }) =>
    appendToDraft(store, viewer, { chatId: CHAT_ID, id: 'd1', offset: 0, chunks: ['x'] }),
  'read drafts': async ({ reads }) => {
    const [[draft] = []] = await reads.drafts([CHAT_ID]);
    if (draft === undefined) throw new Error('the chat has no draft');
    await reads.draftPieces([{ draft, after: 0 }]);
  },
  'finish a draft': async ({ store }) => {
    await stopDraft(store, viewer, { chatId: CHAT_ID, id: 'd1' });
    await finishDraft(store, viewer, { chatId: CHAT_ID, id: 'd1' });
  },
  'discard a draft': ({ store }) => discardDraft(store, viewer, { chatId: CHAT_ID, id: 'd2' }),
  'delete a checkpoint': ({ store }) => deleteCheckpoint(store, viewer, { chatId: CHAT_ID, name: 'x' }),
  members: async ({ store }) => {
    await addMember(store, viewer, { chatId: CHAT_ID, userId: 'v', role: 'READER' });
    await removeMember(store, viewer, { chatId: CHAT_ID, userId: 'v' });
  },
  transfer: ({ store }) => transferChat(store, viewer, { id: CHAT_ID, userId: 'v' }),
};
