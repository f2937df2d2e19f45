/** @import { ContextStore } from 'parley/context' */

/**
 * What each branch of a chat says, root first, by the branch's name.
 * @param {ContextStore} store
 * @param {string} chatId
 */
export async function saidOnBranches(store, chatId) {
  const { branches, nodes } = await store.getGraph(chatId);
  const said = branches.map(({ name, headMessageId }) => {
    const path = [];
    for (let id = headMessageId; id !== null;) {
      const node = nodes.find((each) => each.id === id);
      if (node === undefined) throw new Error(`There is no message ${id}`);
      path.unshift(`${node.role}: ${node.content}`);
      id = node.parentId;
    }
    return [name, path];
  });
  return Object.fromEntries(said);
}
