import type { ImportedChat } from '../imported-chats.js';

/** The title with the branches, and a line for each message: its position, its name and each of its parts. */
export function chatLines(chat: ImportedChat): string[] {
  const heads = Object.entries(chat.branches).map(([name, node]) => `${name}: ${node}`);
  const messages = chat.messages.map(({ node, parent, name, data }) => {
    return `${node} < ${parent ?? '-'} ${name}: ${data.parts.map((part) => partLine(part)).join(' | ')}`;
  });
  return [`${chat.title}; ${heads.join(', ')}`, ...messages];
}

function partLine(part: Record<string, unknown>): string {
  switch (part['type']) {
    case 'text':
      return JSON.stringify(part['text']);
    case 'reasoning':
      return `thinks ${JSON.stringify(part['text'])}`;
    case 'dynamic-tool':
      return `${String(part['toolName'])}(${JSON.stringify(part['input'])}) = ${JSON.stringify(part['output'] ?? { error: part['errorText'] })}`;
    case 'file':
      return `file ${String(part['mediaType'])} ${String(part['url']).slice(0, 60)}`;
    case 'source-url':
      return `source ${String(part['url'])}`;
    default:
      return `${String(part['type'])} ${JSON.stringify(part['data'])}`;
  }
}
