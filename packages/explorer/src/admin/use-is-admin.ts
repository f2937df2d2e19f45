import { ReadViewer } from '../generated/operations.js';
import { useAnswer } from '../requests/use-answer.js';

/** Whether the user is an admin. @param isAsked false sends no request */
export function useIsAdmin(isAsked: boolean): boolean {
  return useAnswer(ReadViewer, isAsked ? {} : null)?.viewer.isAdmin ?? false;
}
