/** The list of chats that Open WebUI exports. */
import { chatGraph } from './chat-graph.js';
import { COMMON_LOSSES, saidIn } from './said.js';
import { ARRAY, type Writer } from './writer.js';

export const openWebUi: Writer = {
  name: 'open-webui',
  label: 'Open WebUI',
  extension: 'json',
  mediaType: 'application/json',
  fileName: 'open-webui.json',
  losses: [...COMMON_LOSSES, 'milliseconds of times'],
  frame: ARRAY,
  async *write(whole) {
    const { id, userId, title, createdAt, updatedAt } = whole.chat;
    const graph = await chatGraph(whole);
    const [created_at, updated_at] = [Math.floor(createdAt / 1000), Math.floor(updatedAt / 1000)];
    const head = {
      id,
      user_id: userId,
      title: title ?? '',
      created_at,
      updated_at,
      archived: false,
      pinned: false,
      meta: {},
    };
    // Without any model there would be nothing to choose one by.
    const chat = { title: title ?? '', models: [''], timestamp: createdAt };
    yield `${open(head)},"chat":${open(chat)},"history":{"currentId":${JSON.stringify(graph.active)},"messages":{`;
    let comma = '';
    for await (const rows of whole.messages()) {
      for (const row of rows) {
        const { role, text } = saidIn(row);
        const links = { id: row.id, parentId: row.parentId, childrenIds: graph.children(row.id) };
        const said = { ...links, role, content: text, timestamp: Math.floor(row.createdAt / 1000) };
        // What does not say that it is complete is taken to be still written.
        const message = role === 'assistant' ? { ...said, done: true } : said;
        yield `${comma}${JSON.stringify(row.id)}:${JSON.stringify(message)}`;
        comma = ',\n';
      }
    }
    yield '}}}}';
  },
};

/** An object without its last brace: more comes. */
function open(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}
