import { useChats } from '@parley/client/react';
import { GitFork } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { EmptyState } from '../design/placeholder.js';
import { useForkOf } from '../sharing/fork.js';
import { takeRequest } from './continuing.js';

/** Copies a share into the chats of the user. */
export default function Continue({ token, branch }: { token: string; branch: string | null }): ReactNode {
  const fork = useForkOf();
  const [isCopying, setIsCopying] = useState(false);
  const copy = () => {
    setIsCopying(true);
    void fork({ shareToken: token, sharedBranch: branch }).finally(() => setIsCopying(false));
  };
  const isLive = useChats().status === 'live';
  useEffect(() => {
    // A sign-in comes first.
    if (isLive && takeRequest(token)) copy();
  }, [token, isLive]);
  return (
    <EmptyState icon={GitFork} text="A shared conversation becomes a chat of yours. The shared one stays as it is.">
      <Button tone="accent" disabled={isCopying || !isLive} onClick={copy}>
        {isCopying ? 'Copying…' : 'Copy to my chats'}
      </Button>
    </EmptyState>
  );
}
