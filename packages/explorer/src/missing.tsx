import type { ThreadState } from '@parley/client';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState, Skeleton } from './design/placeholder.js';

/** Replaces a chat that is loading or missing. */
export function Missing({ status, error }: Pick<ThreadState, 'status' | 'error'>): ReactNode {
  if (status === 'gone') return <EmptyState icon={SearchX} text="Chat not found." />;
  return error === null ? <Skeleton /> : <p className="hint">{error.message}</p>;
}
