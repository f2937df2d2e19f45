/** @import { ContextStore } from 'parley/context' */

/**
 * Returns the messages of each branch, root first, by the name of the branch.
 * @param {ContextStore} store
 * @param {string} chatId
 */
export async function branchTexts(store, chatId) {
  const { branches, nodes } = await store.getGraph(chatId);
  const entries = branches.map(({ name, headMessageId }) => {
    const path = [];
    for (let id = headMessageId; id !== null;) {
      const node = nodes.find((each) => each.id === id);
      if (node === undefined) throw new Error(`There is no message ${id}`);
      path.unshift(`${node.role}: ${node.content}`);
      id = node.parentId;
    }
    return [name, path];
  });
  return Object.fromEntries(entries);
}
