import type { ReadSharingQuery } from '@parley/client';
import { ReadSharing } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { useState } from 'react';
import { changing, useRead } from '../requests/use-read.js';

export type Sharing = NonNullable<ReadSharingQuery['chat']> & { viewerId: string };

export interface UseSharing {
  /** Null until it is read. */
  sharing: Sharing | null;
  /** The reason of the last failure; '' for none. */
  failed: string;
  /** Awaits a change, shows its failure, and reads again. @returns its result; null after a failure */
  change<Result>(work: Promise<Result>): Promise<Result | null>;
}

/** The members and links of a chat. */
export function useSharing(chatId: string): UseSharing {
  const parley = useParley();
  const [sharing, setSharing] = useState<Sharing | null>(null);
  const [changes, setChanges] = useState(0);
  const [failed, setFailed] = useRead(
    (signal) =>
      parley
        .run(ReadSharing, { chatId }, signal)
        .then(({ chat, viewer }) => setSharing(chat && { ...chat, viewerId: viewer.userId })),
    [parley, chatId, changes],
  );
  return {
    sharing,
    failed,
    change: changing(setFailed, () => setChanges((count) => count + 1)),
  };
}
