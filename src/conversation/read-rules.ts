/** A rule for each read of clients: the chats that it names, and the state of the database that it needs. */
import type { ConversationReads, FeatureReads } from './reads.js';

/** Where a read names its chats. */
type ChatsIn =
  /** In its first argument: ids of chats, or keys with a chatId; a list or one. */
  | 'given'
  /** The same, of a search in chats. */
  | 'searched'
  /** In its result: chats that the viewer may be unable to access. */
  | 'checked'
  /** In its result: the chats of a page, which the viewer may read. */
  | 'page'
  /** In its result: the hits of a search in all chats. */
  | 'hits'
  /** It returns users. */
  | 'users'
  /** Other reads name the chat, or it has no data of one. */
  | 'nothing';

/** The state of the database that a read must return. */
type State =
  /** The present one: its rows decide on access or change without their chat's version. */
  | 'current'
  /** The present one, and its rows may name others that an earlier state lacks. */
  | 'newer'
  /** The present one, with the versions of its chats. */
  | 'versions'
  /** One with the versions of the chats in its first argument. */
  | 'of chats'
  /** One with all changes that are visible now. */
  | 'across chats';

export interface ReadRule {
  readonly chats: ChatsIn;
  readonly state: State;
}

const OF_CHATS: ReadRule = { chats: 'given', state: 'of chats' };

const READ_RULES: { readonly [Name in Exclude<keyof ConversationReads, keyof FeatureReads>]: ReadRule } = {
  chats: { chats: 'checked', state: 'versions' },
  messages: OF_CHATS,
  messageColumn: { chats: 'given', state: 'current' },
  branches: OF_CHATS,
  checkpoints: OF_CHATS,
  // By ids of clients: access to the chat is checked afterwards, with `chats`.
  messagesById: { chats: 'nothing', state: 'newer' },
  branchesById: { chats: 'nothing', state: 'newer' },
  checkpointsById: { chats: 'nothing', state: 'newer' },
  chatPage: { chats: 'page', state: 'across chats' },
  chatCount: { chats: 'nothing', state: 'across chats' },
  branchesByName: OF_CHATS,
  checkpointsByName: OF_CHATS,
  activeBranches: OF_CHATS,
  branchPages: OF_CHATS,
  checkpointPages: OF_CHATS,
  eventPages: { chats: 'given', state: 'newer' },
  eventsAt: OF_CHATS,
  filteredEventPages: { chats: 'given', state: 'newer' },
  headsAt: { chats: 'given', state: 'newer' },
  messageCounts: OF_CHATS,
  newestMessages: OF_CHATS,
  sources: OF_CHATS,
  sourceHashes: { chats: 'given', state: 'current' },
  sourcesOfChats: OF_CHATS,
  sourcesInRanges: OF_CHATS,
  drawnOnPages: OF_CHATS,
  graphs: OF_CHATS,
  graphJson: OF_CHATS,
  outlines: OF_CHATS,
  segments: OF_CHATS,
  segmentsJson: OF_CHATS,
  messagePages: OF_CHATS,
  messageRanges: OF_CHATS,
  childPages: OF_CHATS,
  childCounts: OF_CHATS,
  children: OF_CHATS,
  chains: OF_CHATS,
  chainJson: OF_CHATS,
  pathPages: OF_CHATS,
  placesOnPaths: OF_CHATS,
  commonAncestors: OF_CHATS,
  newestSummaries: OF_CHATS,
  latestLeaves: OF_CHATS,
  branchesAt: OF_CHATS,
  branchesThrough: OF_CHATS,
  checkpointsAt: OF_CHATS,
  hits: { chats: 'hits', state: 'across chats' },
  hitPages: { chats: 'searched', state: 'of chats' },
};

const OF_FEATURE: ReadRule = { chats: 'nothing', state: 'newer' };
const rules: Record<string, ReadRule> = { ...READ_RULES };

/** Declares the reads of a feature, as it is loaded. By default, they name chats that other reads have read. */
export function declareReads(declared: Partial<Record<keyof FeatureReads, Partial<ReadRule>>>): void {
  for (const [name, rule] of Object.entries(declared)) rules[name] = { ...OF_FEATURE, ...rule };
}

export const readRuleOf = (name: string): ReadRule => rules[name] ?? OF_FEATURE;

/** The ids of chats in the first argument of a read: see ChatsIn. */
export function chatIdsIn(argument: unknown): string[] {
  const keys = (Array.isArray(argument) ? argument : [argument]) as (string | { chatId: string })[];
  return keys.map((key) => (typeof key === 'string' ? key : key.chatId));
}
