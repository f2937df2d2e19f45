import { ChatDrafts } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { useEffect, useState, type ReactNode } from 'react';

const NONE: ReadonlySet<string> = new Set();

/** Shown while an answer of a chat is being written, live. */
export function Writing({ chatId }: { chatId: string }): ReactNode {
  const parley = useParley();
  const [ids, setIds] = useState(NONE);
  useEffect(() => {
    const stop = parley.follow(
      ChatDrafts,
      { chatId },
      {
        // The server reports the unfinished drafts again; others ended meanwhile.
        connected: () => setIds(NONE),
        next: ({ drafts: { draftId, state } }) =>
          setIds(
            (before) => new Set([...before].filter((id) => id !== draftId).concat(state === 'STARTED' ? draftId : [])),
          ),
        away: () => setIds(NONE),
        ended: () => setIds(NONE),
      },
    );
    return stop;
  }, [parley, chatId]);
  return ids.size > 0 && <span className="writing">writing</span>;
}
