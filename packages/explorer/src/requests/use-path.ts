import { ReadPath } from '@parley/client/operations';
import { useChats } from '@parley/client/react';
import { useMemo } from 'react';
import { useAnswer } from './use-answer.js';

/** A message of a path. */
export interface Step {
  id: string;
  parentId: string | null;
  name: string;
  text: string;
  data: unknown;
  createdBy: string | null;
  createdAt: string;
}

/** The number of messages of a path that are read. */
const LAST = 200;

/** The newest messages of the path to a message, root first; null until they were read. */
export function usePath(messageId: string | null): readonly Step[] | null {
  // After a reconnection, the path is read again.
  const version = useChats().status === 'away';
  const read = useAnswer(ReadPath, messageId === null ? null : { messageId, last: LAST }, { version });
  return useMemo(() => {
    if (messageId === null) return [];
    return read && (read.message?.path.edges.map(({ node }) => node) ?? []);
  }, [messageId, read]);
}
