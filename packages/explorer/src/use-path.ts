import { ReadPath } from '@parley/client/operations';
import { useChats, useParley } from '@parley/client/react';
import { useEffect, useState } from 'react';

/** A message of a path. */
export interface Step {
  id: string;
  parentId: string | null;
  name: string;
  text: string;
  data: unknown;
  createdBy: string | null;
}

/** The number of messages of a path that are read. */
const LAST = 200;

/** The newest messages of the path to a message, root first; null until they were read. */
export function usePath(messageId: string | null): readonly Step[] | null {
  const parley = useParley();
  const isAway = useChats().status === 'away';
  const [path, setPath] = useState<{ of: string; steps: readonly Step[] } | null>(null);
  useEffect(() => {
    if (messageId === null || path?.of === messageId) return;
    const reading = new AbortController();
    parley.run(ReadPath, { messageId, last: LAST }, reading.signal).then(
      ({ message }) => setPath({ of: messageId, steps: message?.path.edges.map(({ node }) => node) ?? [] }),
      // The page shows the connection's state; after a reconnection, the path is read again.
      () => {},
    );
    return () => reading.abort();
  }, [parley, messageId, isAway]);
  if (messageId === null) return NOTHING;
  return path?.of === messageId ? path.steps : null;
}

const NOTHING: readonly Step[] = [];
