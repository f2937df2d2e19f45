import { operation } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useEffect, useState } from 'react';

const ReadViewer = operation<{ viewer: { isAdmin: boolean } }, Record<string, never>>(
  'query ReadViewer { viewer { isAdmin } }',
);

/** Whether the user is an admin. @param isAsked false sends no request */
export function useIsAdmin(isAsked: boolean): boolean {
  const parley = useParley();
  const [isAdmin, setIsAdmin] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    const reading = new AbortController();
    parley.run(ReadViewer, {}, reading.signal).then(
      ({ viewer }) => setIsAdmin(viewer.isAdmin),
      () => {},
    );
    return () => reading.abort();
  }, [parley, isAsked]);
  return isAdmin;
}
