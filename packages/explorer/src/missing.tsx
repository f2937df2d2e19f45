import type { ThreadState } from '@parley/client';
import type { ReactNode } from 'react';
import { words } from './words.js';

/** Replaces a chat that is loading or missing. */
export function Missing({ status, error }: Pick<ThreadState, 'status' | 'error'>): ReactNode {
  return <p className="hint">{status === 'gone' ? words.gone : (error?.message ?? words.loading)}</p>;
}
