/** Writes a conversation as in ChatGPT's conversations.json. */
import { chatGraph, ARRAY, type Writer } from './writer.js';
import { TEXT_LOSSES, portableMessage, seconds } from './portable-message.js';

export const chatGpt: Writer = {
  name: 'chatgpt',
  label: 'ChatGPT',
  extension: 'json',
  mediaType: 'application/json',
  fileName: 'conversations.json',
  losses: TEXT_LOSSES,
  frame: ARRAY,
  async *write(whole) {
    const { chat } = whole;
    const graph = await chatGraph(whole);
    // ChatGPT's conversations have one root, without a message.
    const root = `root-of-${chat.id}`;
    const { id, title, createdAt, updatedAt } = chat;
    const times = { create_time: seconds(createdAt), update_time: seconds(updatedAt) };
    const head = { id, conversation_id: id, title, ...times, current_node: graph.active ?? root };
    yield `${JSON.stringify(head).slice(0, -1)},"mapping":{${entry(root, { id: root, message: null, parent: null, children: graph.roots })}`;
    for await (const rows of whole.messages()) {
      yield rows
        .map((row) => {
          const { role, text, isHidden } = portableMessage(row);
          const content = { content_type: 'text', parts: [text] };
          const base = { id: row.id, author: { role, name: null, metadata: {} }, create_time: seconds(row.createdAt) };
          const message = {
            ...base,
            update_time: null,
            content,
            status: 'finished_successfully',
            metadata: isHidden ? { is_visually_hidden_from_conversation: true } : {},
            recipient: 'all',
          };
          const links = { parent: row.parentId ?? root, children: graph.children(row.id) };
          return `,\n${entry(row.id, { id: row.id, message, ...links })}`;
        })
        .join('');
    }
    yield '}}';
  },
};

function entry(id: string, node: object): string {
  return `${JSON.stringify(id)}:${JSON.stringify(node)}`;
}
