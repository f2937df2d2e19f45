/**
 * A conversation as LibreChat exports it: a list whose messages name their parents. LibreChat imports one conversation per
 * file, and reads every array as ChatGPT's.
 */
import { chatGraph, ARRAY, type Writer } from './writer.js';
import { iso, PROGRAM_LOSSES, portableMessage, type PortableMessage, type PortablePart } from './portable-message.js';

/** The parent of a first message. */
const NO_PARENT = '00000000-0000-0000-0000-000000000000';

export const libreChat: Writer = {
  name: 'librechat',
  label: 'LibreChat',
  extension: 'json',
  mediaType: 'application/json',
  fileName: 'librechat.json',
  losses: [...PROGRAM_LOSSES, 'the active branch', 'the role of system messages, which only the sender states'],
  frame: ARRAY,
  isBareAlone: true,
  async *write(whole) {
    const { id, title, createdAt, updatedAt } = whole.chat;
    const models: string[] = [];
    const { parents } = await chatGraph(whole, (message) => {
      const portable = portableMessage(message);
      const isWritten = !portable.isHidden && portable.parts.length > 0;
      if (isWritten && portable.model !== null) models.splice(0, 1, portable.model);
      return isWritten;
    });
    const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
    const head = {
      conversationId: id,
      title: title ?? '',
      ...times,
      endpoint: 'openAI',
      branches: true,
      recursive: false,
    };
    const [model] = models;
    const options = model === undefined ? {} : { model };
    yield `${JSON.stringify({ ...head, options }).slice(0, -1)},"messages":[`;
    let comma = '';
    for await (const rows of whole.messages()) {
      for (const row of rows) {
        const parentId = parents.get(row.id);
        if (parentId === undefined) continue;
        const links = { messageId: row.id, parentMessageId: parentId ?? NO_PARENT, conversationId: id };
        const message = { ...links, ...membersOf(portableMessage(row)), createdAt: iso(row.createdAt) };
        yield `${comma}${JSON.stringify(message)}`;
        comma = ',\n';
      }
    }
    yield ']}';
  },
};

function membersOf({ role, text, parts, model }: PortableMessage): object {
  const files = parts.flatMap((part) =>
    part.kind === 'image' ? [{ type: part.mediaType, filename: part.name, filepath: part.url }] : [],
  );
  return {
    sender: { user: 'User', assistant: 'Assistant', system: 'System' }[role],
    text,
    isCreatedByUser: role === 'user',
    // Texts alone need no content, which LibreChat prefers to the text.
    ...(parts.some(({ kind }) => kind === 'thoughts' || kind === 'call') ? { content: parts.flatMap(contentOf) } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(model === null ? {} : { model }),
  };
}

function contentOf(part: PortablePart): object[] {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }];
  if (part.kind === 'thoughts') return [{ type: 'think', think: part.text }];
  if (part.kind === 'image') return [];
  const { id, name, input, output } = part;
  const result = output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) };
  const call = { id, name, type: 'tool_call', args: JSON.stringify(input), progress: 1, ...result };
  return [{ type: 'tool_call', tool_call: call }];
}
