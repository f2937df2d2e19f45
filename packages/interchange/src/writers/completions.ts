/** Chat completions, as models are trained on them: a line a path. */
import { chatGraph, messagesOn, pathsOf } from './chat-graph.js';
import { COMMON_LOSSES, saidIn } from './said.js';
import { incompleteLine, LINES, type Writer } from './writer.js';

export const completions: Writer = {
  name: 'completions',
  label: 'chat completions',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  fileName: 'completions.jsonl',
  losses: [
    ...COMMON_LOSSES,
    'ids, times and titles',
    'that paths share messages: each has its own',
    'messages without a text',
  ],
  frame: LINES,
  // A path is cut off within its line.
  incomplete: (reason) => `\n${incompleteLine(reason)}`,
  async *write(chat, { paths }) {
    const graph = await chatGraph(chat);
    const written = new Set<string>();
    for (const path of pathsOf(chat, graph, paths)) {
      let before = '{"messages":[';
      for await (const message of messagesOn(chat, graph, path)) {
        written.add(message.id);
        const { role, text } = saidIn(message);
        if (text === '') continue;
        yield `${before}${JSON.stringify({ role, content: text })}`;
        before = ',';
      }
      // A path on which nothing is said teaches nothing.
      if (before === ',') yield ']}\n';
    }
    return written.size;
  },
};
