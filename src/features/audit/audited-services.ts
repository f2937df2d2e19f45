/**
 * Records the chats that an operation reads. Every read of an operation goes through ConversationReads: a field cannot
 * return data of a chat without a record.
 */
import type { AuditRecord, WatchedServices } from '../../audit.js';
import type { Chat, DeletedChat, Viewer } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/members/ownership.js';
import type { ConversationReads, FeatureReads } from '../../conversation/reads.js';

/** How a read names its chats. */
type ChatsIn =
  /** A list of chat ids, or of keys with a chatId. */
  | 'keys'
  /** One of these. */
  | 'key'
  /** The read chats, which the viewer may be unable to access. */
  | 'checked'
  /** The chats of a page, which the viewer may read. */
  | 'page'
  /** The hits of a search in all chats. */
  | 'hits'
  /** The keys of a search in chats. */
  | 'searched'
  | 'users'
  /** Other reads name the chat, or it has no data of one. */
  | 'nothing';

export const CHATS_IN: { readonly [Name in Exclude<keyof ConversationReads, keyof FeatureReads>]: ChatsIn } = {
  chats: 'checked',
  messages: 'keys',
  messageFiles: 'nothing',
  messageColumn: 'keys',
  branches: 'keys',
  checkpoints: 'keys',
  // By ids of clients: access to the chat is checked afterwards, with `chats`.
  messagesById: 'nothing',
  branchesById: 'nothing',
  checkpointsById: 'nothing',
  chatPage: 'page',
  chatCount: 'nothing',
  deletedChatPage: 'page',
  deletedChatCount: 'nothing',
  userPage: 'users',
  usagePage: 'nothing',
  userCount: 'nothing',
  userMessageCounts: 'nothing',
  branchesByName: 'keys',
  checkpointsByName: 'keys',
  activeBranches: 'keys',
  branchPages: 'keys',
  checkpointPages: 'keys',
  eventPages: 'keys',
  filteredEventPages: 'keys',
  headsAt: 'key',
  forks: 'keys',
  messageCounts: 'keys',
  newestMessages: 'keys',
  sources: 'keys',
  sourceHashes: 'keys',
  sourcesOfChats: 'keys',
  sourcesInRanges: 'keys',
  drawnOnPages: 'keys',
  graphs: 'keys',
  graphJson: 'key',
  outlines: 'keys',
  segments: 'keys',
  segmentsJson: 'key',
  messagePages: 'keys',
  messageRanges: 'keys',
  childPages: 'keys',
  childCounts: 'keys',
  children: 'keys',
  chains: 'keys',
  chainJson: 'key',
  pathPages: 'keys',
  placesOnPaths: 'keys',
  commonAncestors: 'keys',
  newestSummaries: 'keys',
  latestLeaves: 'keys',
  branchesAt: 'keys',
  branchesThrough: 'keys',
  checkpointsAt: 'keys',
  drafts: 'keys',
  draftPieces: 'nothing',
  hits: 'hits',
  hitPages: 'searched',
};

type Key = string | { readonly chatId: string };
type Found = readonly ({ chat: Chat } | null)[];
type Results = { [Name in keyof ConversationReads]: Awaited<ReturnType<ConversationReads[Name]>> };

/** The same reads and store, which record what they return. */
export function audited({ reads, store }: WatchedServices, record: AuditRecord, viewer: Viewer): WatchedServices {
  return {
    reads: observing(reads, (name, argument, result) => {
      const chatsIn = CHATS_IN[name as keyof typeof CHATS_IN];
      if (chatsIn === 'checked') for (const each of result as Found) note(each?.chat ?? null, viewer, record);
      if (chatsIn === 'keys') record.read('chat.read', idsOf(argument as readonly Key[]));
      if (chatsIn === 'key') record.read('chat.read', idsOf([argument as Key]));
      if (chatsIn === 'page')
        record.read(
          'chat.read',
          (result as Results['chatPage']).rows.map(({ id }) => id),
        );
      if (chatsIn === 'hits')
        record.read(
          'search',
          (result as Results['hits']).rows.map(({ message }) => message.chatId),
        );
      if (chatsIn === 'searched') record.read('search', idsOf(argument as readonly Key[]));
      if (chatsIn === 'users') record.read('users.read', []);
    }),
    // The rules check access with the chat; reads of changes are in the line of the change.
    store: observing(store, (name, _, result) => {
      const chat = name === 'chat' || name === 'deletedChat' ? (result as Chat | DeletedChat | null) : null;
      if (chat !== null) record.check(chat.id, mayAccess(viewer, chat));
    }),
  };
}

function note(chat: Chat | null, viewer: Viewer, record: AuditRecord): void {
  if (chat === null) return;
  const isVisible = mayAccess(viewer, chat);
  record.check(chat.id, isVisible);
  if (isVisible) record.read('chat.read', [chat.id]);
}

function idsOf(keys: readonly Key[]): string[] {
  return keys.map((key) => (typeof key === 'string' ? key : key.chatId));
}

/** @param note called with the first argument and the result of each call that succeeds */
function observing<T extends object>(target: T, note: (name: string, argument: unknown, result: unknown) => void): T {
  return new Proxy(target, {
    get: (from, name) => {
      const member: unknown = Reflect.get(from, name, from);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, from, args);
        if (!(result instanceof Promise)) return result;
        return result.then((settled: unknown) => {
          note(name, args[0], settled);
          return settled;
        });
      };
    },
  });
}
