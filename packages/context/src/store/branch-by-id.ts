import { ContextError } from '../errors.js';
import type { ContextStore } from './context-store.js';
import type { BranchData } from './store-data.js';

/**
 * Activates a branch by its name or its id: the branches are listed only when none has the name.
 * @param activate activates the branch of a name
 */
export async function activateBranch(
  store: ContextStore,
  { chatId, branch }: { chatId: string; branch: string },
  activate: (name: string) => Promise<BranchData>,
): Promise<BranchData> {
  try {
    return await activate(branch);
  } catch (error) {
    if (!(error instanceof ContextError) || error.code !== 'NOT_FOUND') throw error;
    const named = (await store.listBranches(chatId)).find(({ id }) => id === branch);
    if (named === undefined) throw error;
    return activate(named.name);
  }
}
