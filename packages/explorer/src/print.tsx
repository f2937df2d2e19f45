import type { ThreadStore } from '@parley/client';
import { useThreadState } from '@parley/client/react';
import { useEffect, useState, type ReactNode } from 'react';
import { notify } from './design/toast.js';
import { lazyPart } from './lazy-part.js';

const PrintedThread = lazyPart(() => import('./print/printed-thread.js'));

/** Milliseconds after the thread is live, so that the code for printing does not delay the thread. */
const PRINTABLE_AFTER_MS = 1_000;

let requestPrint: (() => void) | null = null;

/** Prints the page; of a thread also the messages that were not read. */
export const print = (): void => (requestPrint ?? (() => window.print()))();

/** Loads the code that prints a thread: before the browser's own command needs it, and again after a failure. */
export function Print({ store }: { store: ThreadStore }): ReactNode {
  const isLive = useThreadState(store, ({ status }) => status === 'live');
  const [isNeeded, setIsNeeded] = useState(false);
  /** The number of calls of `print`. */
  const [requests, setRequests] = useState(0);
  useEffect(() => {
    requestPrint = () => {
      setIsNeeded(true);
      setRequests((count) => count + 1);
    };
    return () => {
      requestPrint = null;
    };
  }, []);
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => setIsNeeded(true), PRINTABLE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  if (!isNeeded) return null;
  return (
    <PrintedThread
      store={store}
      requests={requests}
      onFailed={(text) => {
        if (requests > 0) notify({ text, isUrgent: true });
        setIsNeeded(false);
        setRequests(0);
      }}
    />
  );
}
