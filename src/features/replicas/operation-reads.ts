/** The reads of a query, each from the primary or from a replica. */
import { chatIdsIn, readRuleOf, type ReadRule } from '../../conversation/read-rules.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { Connection } from '../../database/connection/connection.js';
import { withinBounds } from '../../database/connection/within-bounds.js';
import { createReads } from '../../database/reading/reads.js';
import type { ReplicaSession } from './replica-session.js';

type AnyRead = (...given: unknown[]) => Promise<unknown>;
type AnyReads = Readonly<Record<string, AnyRead>>;
type Versions = Awaited<ReturnType<ConversationReads['chats']>>;

export function operationReads(
  session: ReplicaSession,
  connection: Connection,
  bounds: OperationBounds,
): ConversationReads {
  const primary = createReads(withinBounds(connection, bounds)) as unknown as AnyReads;
  const replica = createReads(withinBounds(session.connection, bounds)) as unknown as AnyReads;
  const readers: Record<ReadRule['state'], (onPrimary: AnyRead, onReplica: AnyRead) => AnyRead> = {
    current: (onPrimary) => onPrimary,
    newer:
      (onPrimary) =>
      async (...given) => {
        const found = await onPrimary(...given);
        session.outdate();
        return found;
      },
    // On the primary: a revoked access ends at once, and a replica must have the versions that it returns.
    versions: (onPrimary) => async (ids) => {
      session.begin();
      const found = (await onPrimary(ids)) as Versions;
      for (const each of found) if (each !== null) session.require(each.chat);
      return found;
    },
    'of chats':
      (onPrimary, onReplica) =>
      (...given) =>
        session.covers(chatIdsIn(given[0])) ? onReplica(...given) : readers.newer(onPrimary, onReplica)(...given),
    'across chats':
      (_, onReplica) =>
      async (...given) => {
        await session.requireAll(bounds.caller);
        return onReplica(...given);
      },
  };
  const routed: Record<string, AnyRead> = {};
  for (const name in primary) {
    const onPrimary = primary[name] as AnyRead;
    routed[name] = readers[readRuleOf(name).state](onPrimary, replica[name] ?? onPrimary);
  }
  return routed as unknown as ConversationReads;
}
