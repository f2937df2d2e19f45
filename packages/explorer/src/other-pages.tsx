import type { ReactNode } from 'react';
import { Skeleton } from './design/placeholder.js';
import { lazyPart } from './lazy-part.js';
import type { Place } from './place.js';

const Continue = lazyPart(() => import('./share/continue.js'), <Skeleton />);
const Tokens = lazyPart(() => import('./tokens/tokens.js'), <Skeleton />);
const Users = lazyPart(() => import('./admin/users.js'), <Skeleton />);

/** The pages that are neither a chat nor the first one. */
export default function OtherPages({ page, shareToken, sharedBranch }: Place): ReactNode {
  if (page === 'users') return <Users />;
  if (page === 'tokens') return <Tokens />;
  return shareToken !== null && <Continue key={shareToken} token={shareToken} branch={sharedBranch} />;
}
