import { useParley } from '@parley/client/react';
import { ReadStorage } from '../../generated/operations.js';
import { notify } from '../../design/toast.js';
import { bytes } from '../../words.js';

let isAsked = false;

/** Returns a function that says, when a user begins to write, that most of the storage is used: once for each page load. */
export function useStorageWarning(): () => void {
  const parley = useParley();
  return () => {
    if (isAsked) return;
    isAsked = true;
    parley.run(ReadStorage, {}).then(
      ({ viewer: { storage } }) => {
        if (storage === null || storage.quotaBytes === null || !storage.isNearQuota) return;
        const used = `${bytes(storage.usedBytes)} of ${bytes(storage.quotaBytes)}`;
        const text = `Your chats and files use ${used}. Delete chats, or ask an admin for more storage.`;
        notify({ text, timeoutMs: 0 });
      },
      () => {},
    );
  };
}
