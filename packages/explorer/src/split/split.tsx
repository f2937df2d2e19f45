import { useThread } from '@parley/client/react';
import { useRef, useState, type ReactNode } from 'react';
import { Skeleton } from '../design/placeholder.js';
import { lazyPart } from '../lazy-part.js';
import Thread from '../thread/thread.js';
import { Separator, storedShare, storeShare } from './separator.js';
import { useShownMessage } from './use-shown-message.js';
import './split.css';

const Graph = lazyPart(() => import('../graph/graph.js'), <Skeleton />);

/** The thread and the graph of a chat side by side, with one selection. */
export default function Split({ chatId, messageId }: { chatId: string; messageId: string | null }): ReactNode {
  const { thread, leafId } = useThread(chatId);
  const [share, setShare] = useState(storedShare);
  const pane = useRef<HTMLDivElement>(null);
  const { shownId, isReadable } = useShownMessage(pane, chatId, messageId);
  const message = thread.find(({ id }) => id === shownId);
  const shown = message === undefined || leafId === null ? null : { depth: message.depth, leafId };
  return (
    <div className="split">
      <div className="split-thread" ref={pane} style={{ flexBasis: `${share}%` }}>
        <Thread chatId={chatId} messageId={messageId} />
      </div>
      <Separator
        share={share}
        onChange={(next) => {
          setShare(next);
          storeShare(next);
        }}
      />
      <div className="split-graph">
        {/* Its code and its requests wait until the thread is readable. */}
        {isReadable && <Graph chatId={chatId} messageId={messageId} view="split" shown={shown} />}
      </div>
    </div>
  );
}
