/** The reads of a query, each from the primary or from a replica. */
import type { ConversationReads, FeatureReads } from '../../conversation/reads.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { Connection } from '../connection/connection.js';
import { withinBounds } from '../connection/within-bounds.js';
import { createReads } from '../reading/reads.js';
import type { ReplicaSession } from './replica-session.js';

/**
 * Where a read runs. `current`: on the primary, because its rows decide on access or change without their chat's
 * version. `newer`: on the primary, and its rows may name others that a replica lacks. `of chats`: on a replica that has
 * the versions of the chats that its first argument names. `across chats`: on a replica that has all changes.
 */
type Target = 'current' | 'newer' | 'of chats' | 'across chats';

const TARGETS: Record<Exclude<keyof ConversationReads, 'chats' | keyof FeatureReads>, Target> = {
  messageColumn: 'current',
  messageFiles: 'current',
  sourceHashes: 'current',
  messagesById: 'newer',
  branchesById: 'newer',
  checkpointsById: 'newer',
  eventPages: 'newer',
  filteredEventPages: 'newer',
  headsAt: 'newer',
  deletedChatPage: 'newer',
  deletedChatCount: 'newer',
  drafts: 'newer',
  draftPieces: 'newer',
  messages: 'of chats',
  branches: 'of chats',
  checkpoints: 'of chats',
  branchesByName: 'of chats',
  checkpointsByName: 'of chats',
  activeBranches: 'of chats',
  branchPages: 'of chats',
  checkpointPages: 'of chats',
  forks: 'of chats',
  messageCounts: 'of chats',
  newestMessages: 'of chats',
  sources: 'of chats',
  sourcesOfChats: 'of chats',
  sourcesInRanges: 'of chats',
  drawnOnPages: 'of chats',
  graphs: 'of chats',
  graphJson: 'of chats',
  outlines: 'of chats',
  segments: 'of chats',
  segmentsJson: 'of chats',
  messagePages: 'of chats',
  messageRanges: 'of chats',
  childPages: 'of chats',
  childCounts: 'of chats',
  children: 'of chats',
  chains: 'of chats',
  chainJson: 'of chats',
  pathPages: 'of chats',
  placesOnPaths: 'of chats',
  commonAncestors: 'of chats',
  newestSummaries: 'of chats',
  latestLeaves: 'of chats',
  branchesAt: 'of chats',
  branchesThrough: 'of chats',
  checkpointsAt: 'of chats',
  hitPages: 'of chats',
  hits: 'across chats',
  chatPage: 'across chats',
  chatCount: 'across chats',
  userPage: 'across chats',
  usagePage: 'current',
  userCount: 'across chats',
  userMessageCounts: 'across chats',
};

type AnyRead = (...given: unknown[]) => Promise<unknown>;
type AnyReads = Record<keyof typeof TARGETS, AnyRead>;

export function operationReads(
  session: ReplicaSession,
  connection: Connection,
  bounds: OperationBounds,
): ConversationReads {
  const primary = createReads(withinBounds(connection, bounds));
  const replica = createReads(withinBounds(session.connection, bounds));
  const [fromPrimary, fromReplica] = [primary, replica] as unknown as [AnyReads, AnyReads];
  const readers: Record<Target, (name: keyof AnyReads) => AnyRead> = {
    current: (name) => fromPrimary[name],
    newer:
      (name) =>
      async (...given) => {
        const found = await fromPrimary[name](...given);
        session.outdate();
        return found;
      },
    'of chats':
      (name) =>
      (...given) =>
        session.covers(chatsOf(given[0])) ? fromReplica[name](...given) : readers.newer(name)(...given),
    'across chats':
      (name) =>
      async (...given) => {
        await session.requireAll(bounds.caller);
        return fromReplica[name](...given);
      },
  };
  // Features declare none.
  const targets: Partial<typeof TARGETS> = TARGETS;
  const names = Object.keys(primary) as (keyof AnyReads)[];
  const routed = names.map((name) => [name, readers[targets[name] ?? 'newer'](name)]);
  return {
    ...(Object.fromEntries(routed) as Omit<ConversationReads, 'chats'>),
    // On the primary: a revoked access ends at once, and a replica must have the versions that it returns.
    chats: async (ids) => {
      session.begin();
      const found = await primary.chats(ids);
      for (const each of found) if (each !== null) session.require(each.chat);
      return found;
    },
  };
}

/** The ids of chats in the keys of a read, or in its only key. */
function chatsOf(keys: unknown): string[] {
  const all = (Array.isArray(keys) ? keys : [keys]) as (string | { chatId: string })[];
  return all.map((key) => (typeof key === 'string' ? key : key.chatId));
}
