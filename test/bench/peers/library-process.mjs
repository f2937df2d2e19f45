/** The tasks of a library, measured in the process that calls it, including JSON.stringify. */

/**
 * Answers the parent process.
 * @param library its `ContextEngine` and its functions for messages
 * @param open returns the store of a database, with its rows
 */
export function serveLibrary({ ContextEngine, user, assistantText }, open) {
  /** By size. */
  const stores = {};
  const engines = {};

  /** Uses a long-lived engine: a new one first reads the chat and its branch. */
  const save = (size) => {
    engines[size].set(user('A question, or an answer.'), assistantText('A question, or an answer.'));
    return engines[size].save();
  };
  const tasks = {
    chat: () => stores.large.getChat('chain10000'),
    chain1000: () => stores.large.getMessages('chain1000'),
    chain10000: () => stores.large.getMessages('chain10000'),
    graph: () => stores.large.getGraph('chain10000'),
    rare: () => stores.large.searchMessages('chain10000', 'seldom'),
    common: () => stores.large.searchMessages('chain10000', 'sentence'),
    branches: () => stores.large.listBranches('branchy'),
    saveSmall: () => save('small'),
    saveLarge: () => save('large'),
  };

  process.on('message', async ({ places, answer, time, count }) => {
    if (places !== undefined) {
      for (const [size, place] of Object.entries(places)) {
        stores[size] = await open(place);
        engines[size] = new ContextEngine({ store: stores[size], chatId: 'saved', userId: 'local' });
      }
      process.send('ready');
    } else if (answer !== undefined) {
      process.send(tasks[answer] === undefined ? null : JSON.stringify(await tasks[answer]()));
    } else {
      const times = [];
      for (let n = 0; n < count; n++) {
        const begin = performance.now();
        JSON.stringify(await tasks[time]());
        times.push(performance.now() - begin);
      }
      process.send(times);
    }
  });
}
