import type { Branch, ThreadStore } from '@parley/client';
import { useRights } from './role.js';
import { act } from './act.js';

/**
 * Activates a branch. Below the role WRITER, only this page shows it.
 * @param onRefused receives refused writes
 */
export function useSwitchBranch(store: ThreadStore, onRefused: (message: string) => void): (branch: Branch) => void {
  const may = useRights(store.chatId);
  return ({ name, headId }) => {
    if (may('WRITER')) void act(store.switchBranch(name), onRefused);
    else if (headId !== null) void act(store.switchToSibling(headId, 'local'), onRefused);
  };
}
