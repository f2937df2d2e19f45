/** Messages as OpenAssistant lists them: a line a message, of a tree for each root. */
import { chatGraph } from './chat-graph.js';
import { COMMON_LOSSES, iso, saidIn } from './said.js';
import { incompleteLine, LINES, type Writer } from './writer.js';

export const oasst: Writer = {
  name: 'oasst',
  label: 'OASST messages',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  fileName: 'oasst.jsonl',
  losses: [
    ...COMMON_LOSSES,
    'the title of a chat, and chats without messages',
    'that several roots are one chat: each is a tree',
    'the active branch',
  ],
  frame: LINES,
  incomplete: incompleteLine,
  async *write(whole) {
    const { parents } = await chatGraph(whole);
    const trees = new Map<string, string>();
    for (const [id, parent] of parents) trees.set(id, parent === null ? id : (trees.get(parent) ?? parent));
    for await (const rows of whole.messages()) {
      yield rows
        .map((row) => {
          const { role, text } = saidIn(row);
          const line = {
            message_id: row.id,
            parent_id: row.parentId,
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
