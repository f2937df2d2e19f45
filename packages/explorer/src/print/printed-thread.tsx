import type { ThreadStore } from '@parley/client';
import { useThreadState } from '@parley/client/react';
import { useEffect, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Body } from '../thread/body.js';
import { renderMarkdown } from '../thread/markdown/render-markdown.js';
import { MessageHeader } from '../thread/message-header.js';
import './print.css';

/** Messages that are printed: the last ones of a longer thread. */
const MAX_PRINTED = 1_000;
/** Texts that the worker has not rendered by then are printed plain. */
const RENDER_TIMEOUT_MS = 30_000;

interface PrintedThreadProps {
  store: ThreadStore;
  /** The number of requests to print. */
  requests: number;
}

/** The thread as a plain list while the browser prints: the list on the screen has visible messages only. */
export default function PrintedThread({ store, requests }: PrintedThreadProps): ReactNode {
  const thread = useThreadState(store, (state) => state.thread);
  const hasNewer = useThreadState(store, (state) => state.hasNewer);
  const title = useThreadState(store, ({ chat }) => chat?.title ?? null);
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    // The browser prints after its event.
    const start = () => flushSync(() => setIsPrinting(true));
    const end = () => setIsPrinting(false);
    addEventListener('beforeprint', start);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', start);
      removeEventListener('afterprint', end);
    };
  }, []);
  useEffect(() => {
    if (requests === 0) return;
    let isLeft = false;
    void readOlder(store).then(async () => {
      if (isLeft) return;
      setIsPrinting(true);
      // Texts are rendered in order: the last one is rendered after all others.
      const rendered = renderMarkdown('', AbortSignal.timeout(RENDER_TIMEOUT_MS));
      await Promise.race([rendered, new Promise((resolve) => setTimeout(resolve, RENDER_TIMEOUT_MS))]);
      window.print();
    });
    return () => {
      isLeft = true;
    };
  }, [store, requests]);
  if (!isPrinting) return null;
  const printed = thread.slice(-MAX_PRINTED);
  const missing = printed[0]?.depth ?? 0;
  return (
    <section className="printed">
      <h1 dir="auto">{title ?? 'Untitled'}</h1>
      {missing > 0 && (
        <p>
          {missing.toLocaleString('en')} earlier {missing === 1 ? 'message is' : 'messages are'} missing here. “Print”
          in the menu of the page prints up to {MAX_PRINTED.toLocaleString('en')} messages.
        </p>
      )}
      <ol className="messages">
        {printed.map((message) => (
          <li key={message.id} data-role={message.name}>
            <MessageHeader message={message} chatId={store.chatId} />
            <div className="message-body">
              <Body
                text={message.text}
                data={message.data}
                messageId={message.status === undefined ? message.id : null}
              />
            </div>
          </li>
        ))}
      </ol>
      {hasNewer && <p>Later messages of the thread are missing here.</p>}
    </section>
  );
}

async function readOlder(store: ThreadStore): Promise<void> {
  const { hasOlder, thread } = store.getState();
  if (!hasOlder || thread.length >= MAX_PRINTED) return;
  const { ok } = await store.loadOlder();
  if (ok) await readOlder(store);
}
