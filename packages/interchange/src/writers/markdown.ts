/** Writes the paths of a chat as Markdown. */
import { chatGraph, messagesOn, pathsOf, type Writer } from './writer.js';
import { besideText } from './beside-text.js';
import { HIDDEN_LOSS, iso, portableMessage, TEXT_LOSSES } from './portable-message.js';

export const markdown: Writer = {
  name: 'markdown',
  label: 'Markdown',
  extension: 'md',
  mediaType: 'text/markdown',
  fileName: null,
  losses: [
    ...TEXT_LOSSES,
    HIDDEN_LOSS,
    'ids',
    'where paths part: each is written from its beginning',
    'empty messages',
  ],
  frame: { before: '', between: '\n---\n\n', after: '' },
  incomplete: (reason) => `\n_Incomplete: ${oneLine(reason)}_\n`,
  async *write(chat, { paths }) {
    const { title, createdAt } = chat.chat;
    yield `# ${oneLine(title ?? 'Untitled')}\n\n_${iso(createdAt)}_\n`;
    const graph = await chatGraph(chat);
    const written = new Set<string>();
    for (const path of pathsOf(chat, graph, paths)) {
      if (paths !== 'active') yield `\n## ${oneLine(path.name)}\n`;
      for await (const message of messagesOn(chat, graph, path)) {
        written.add(message.id);
        const { text, isHidden } = portableMessage(message);
        const beside = besideText(message, false).names.map(oneLine).join(', ');
        if (isHidden || (text === '' && beside === '')) continue;
        const heading = `${paths === 'active' ? '##' : '###'} ${oneLine(message.name)}`;
        const blocks = [`_${iso(message.createdAt)}_`, text, beside && `_Not shown: ${beside}_`];
        yield `\n${[heading, ...blocks.filter((each) => each !== '')].join('\n\n')}\n`;
      }
    }
    return written.size;
  },
};

/** Text for a heading, without line ends and markup. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|&!]/g, '\\$&');
}
