/** Writes chat completions for fine-tuning: a line for each path. */
import { chatGraph, messagesOn, pathsOf, incompleteLine, LINES, type Writer } from './writer.js';
import { HIDDEN_LOSS, portableMessage, TEXT_LOSSES } from './portable-message.js';

export const completions: Writer = {
  name: 'completions',
  label: 'chat completions',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  fileName: 'completions.jsonl',
  losses: [
    ...TEXT_LOSSES,
    HIDDEN_LOSS,
    'ids, times and titles',
    'that paths share messages: each has its own',
    'messages without a text, and those after the last answer of a path',
  ],
  frame: LINES,
  // An incomplete path ends within its line.
  incomplete: (reason) => `\n${incompleteLine(reason)}`,
  async *write(chat, { paths }) {
    const answers = new Set<string>();
    const graph = await chatGraph(chat, (message) => {
      const { role, text, isHidden } = portableMessage(message);
      if (role === 'assistant' && text !== '' && !isHidden) answers.add(message.id);
      return true;
    });
    const written = new Set<string>();
    const ends = new Set<string>();
    for (const path of pathsOf(chat, graph, paths)) {
      let lastId: string | null = path.lastId;
      for (; lastId !== null && !answers.has(lastId); lastId = graph.parents.get(lastId) ?? null) written.add(lastId);
      // Two paths can end with the same answer.
      if (lastId === null || ends.has(lastId)) continue;
      ends.add(lastId);
      let before = '{"messages":[';
      for await (const message of messagesOn(chat, graph, { ...path, lastId })) {
        written.add(message.id);
        const { role, text, isHidden } = portableMessage(message);
        if (text === '' || isHidden) continue;
        yield `${before}${JSON.stringify({ role, content: text })}`;
        before = ',';
      }
      yield ']}\n';
    }
    return written.size;
  },
};
