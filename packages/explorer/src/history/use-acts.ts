import type { Branch } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useMemo, useState } from 'react';
import { ReadEvents } from '../generated/operations.js';
import { readGraph } from '../graph/outline.js';
import { chainsOf, nodesOf, type Chains } from '../miniature/chains.js';
import { useRead } from '../requests/use-read.js';
import { actsOf, type Act } from './acts.js';
import { withPage, type LogPart } from './events.js';
import { useNamed, usePreviews } from './use-named.js';

const PAGE = 100;

interface Acts {
  /** Newest first. */
  acts: readonly Act[];
  chains: Chains;
  previews: ReadonlyMap<string, string>;
  /** Whether there are older events. */
  hasOlder: boolean;
  isRead: boolean;
  failed: string;
  readOlder(): void;
}

/** The acts of the newest part of a log, live. @param version of the chat @param isAway changes after a reconnection */
export function useActs(chatId: string, version: number, isAway: boolean, branches: readonly Branch[]): Acts {
  const parley = useParley();
  const [{ events, cursor }, setLog] = useState<LogPart>({ events: [], cursor: null });
  const [graph, setGraph] = useState<Awaited<ReturnType<typeof readGraph>>>(null);
  const readLog = (before: string | null, signal?: AbortSignal) =>
    parley.run(ReadEvents, { chatId, last: PAGE, before }, signal).then(({ chat }) => {
      if (chat !== null) setLog((known) => withPage(known, chat.events));
    });
  const [failed, setFailed] = useRead(
    (signal) =>
      Promise.all([readLog(null, signal), readGraph(parley, chatId, signal).then(setGraph)]).then(() => setFailed('')),
    [parley, chatId, version, isAway],
  );
  const named = useNamed(events);
  const chains = useMemo(() => {
    const places = new Map([...named].map(([id, { latestLeaf, ...rest }]) => [id, { ...rest, leafId: latestLeaf.id }]));
    return chainsOf(
      graph === null ? [] : nodesOf(graph.outline, graph.nodes, places),
      branches.map(({ headId }) => headId),
    );
  }, [graph, named, branches]);
  const isRead = graph !== null && (named.size > 0 || events.every(({ headId }) => !headId));
  const acts = useMemo(() => {
    if (!isRead) return [];
    return actsOf(events, chains, branches, (id) => chains.nodes.get(id)?.role ?? named.get(id)?.name);
  }, [isRead, events, chains, branches, named]);
  const others = acts.flatMap(({ questionId, answerId, previousId }) => [questionId, answerId, previousId]);
  const quoted = useNamed(
    [],
    others.filter((id) => id !== null).filter((id) => !named.has(id)),
  );
  const previews = usePreviews(useMemo(() => new Map([...named, ...quoted]), [named, quoted]));
  return {
    ...{ acts, chains, previews, isRead, failed },
    hasOlder: cursor !== null,
    readOlder: () => void readLog(cursor).catch(({ message }: Error) => setFailed(message)),
  };
}
