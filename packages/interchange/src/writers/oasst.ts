/** Writes OpenAssistant's list of messages: a line for each message, a tree for each root. */
import { chatGraph, incompleteLine, LINES, type Writer } from './writer.js';
import { HIDDEN_LOSS, iso, portableMessage, TEXT_LOSSES } from './portable-message.js';

export const oasst: Writer = {
  name: 'oasst',
  label: 'OASST messages',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  fileName: 'oasst.jsonl',
  losses: [
    ...TEXT_LOSSES,
    HIDDEN_LOSS,
    'the title of a chat, and chats without messages',
    'that several roots are one chat: each is a tree',
    'the active branch',
  ],
  frame: LINES,
  incomplete: incompleteLine,
  async *write(whole) {
    const { parents } = await chatGraph(whole, (message) => !portableMessage(message).isHidden);
    const trees = new Map<string, string>();
    for (const [id, parent] of parents) trees.set(id, parent === null ? id : (trees.get(parent) ?? parent));
    for await (const rows of whole.messages()) {
      yield rows
        .filter(({ id }) => parents.has(id))
        .map((row) => {
          const { role, text } = portableMessage(row);
          const line = {
            message_id: row.id,
            parent_id: parents.get(row.id) ?? null,
            message_tree_id: trees.get(row.id),
            created_date: iso(row.createdAt),
            text,
            role: role === 'user' ? 'prompter' : role,
            rank: null,
            tree_state: 'ready_for_export',
          };
          return `${JSON.stringify(line)}\n`;
        })
        .join('');
    }
  },
};
