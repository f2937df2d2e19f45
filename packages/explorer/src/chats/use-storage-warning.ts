import { operation } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useEffect } from 'react';
import { notify } from '../design/toast.js';
import { listWords } from './list-words.js';

interface StorageOfViewer {
  viewer: { storage: { usedBytes: number; quotaBytes: number | null; isNearQuota: boolean } | null };
}

const ReadStorage = operation<StorageOfViewer, Record<string, never>>(
  'query ReadStorage { viewer { storage { usedBytes quotaBytes isNearQuota } } }',
);

/** Says once, when the page opens, that most of the storage of the user is used. */
export function useStorageWarning(): void {
  const parley = useParley();
  useEffect(() => {
    const reading = new AbortController();
    parley.run(ReadStorage, {}, reading.signal).then(
      ({ viewer: { storage } }) => {
        if (storage === null || storage.quotaBytes === null || !storage.isNearQuota) return;
        notify({ text: listWords.nearQuota(storage.usedBytes, storage.quotaBytes), timeoutMs: 0 });
      },
      () => {},
    );
    return () => reading.abort();
  }, [parley]);
}
