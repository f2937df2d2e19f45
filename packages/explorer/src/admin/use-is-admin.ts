import { operation } from '@parley/client';
import { useAnswer } from '../use-answer.js';

const ReadViewer = operation<{ viewer: { isAdmin: boolean } }, Record<string, never>>(
  'query ReadViewer { viewer { isAdmin } }',
);

/** Whether the user is an admin. @param isAsked false sends no request */
export function useIsAdmin(isAsked: boolean): boolean {
  return useAnswer(ReadViewer, isAsked ? {} : null)?.viewer.isAdmin ?? false;
}
