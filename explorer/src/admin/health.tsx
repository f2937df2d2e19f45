import { useEffect, useState, type ReactNode } from 'react';
import { words } from '../words.js';

/** Whether the server can serve, asked every five seconds. */
export function Health(): ReactNode {
  const [isReady, setIsReady] = useState<boolean | null>(null);
  useEffect(() => {
    const look = () =>
      fetch('/health/ready').then(
        ({ ok }) => setIsReady(ok),
        () => setIsReady(false),
      );
    void look();
    const timer = setInterval(() => void look(), 5_000);
    return () => clearInterval(timer);
  }, []);
  return <p role="status">{isReady === null ? words.loading : isReady ? words.ready : words.notReady}</p>;
}
