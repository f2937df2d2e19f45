/** The list of chats that Open WebUI exports. */
import { chatGraph, ARRAY, type Writer } from './writer.js';
import { PROGRAM_LOSSES, portableMessage, type PortableMessage, type PortablePart } from './portable-message.js';

export const openWebUi: Writer = {
  name: 'open-webui',
  label: 'Open WebUI',
  extension: 'json',
  mediaType: 'application/json',
  fileName: 'open-webui.json',
  losses: [...PROGRAM_LOSSES, 'milliseconds of times'],
  frame: ARRAY,
  async *write(whole) {
    const { id, userId, title, createdAt, updatedAt } = whole.chat;
    const models = new Set<string>();
    const graph = await chatGraph(whole, (message) => {
      const portable = portableMessage(message);
      const isWritten =
        !portable.isHidden && portable.parts.some((part) => part.kind === 'image' || contentOf(part, portable) !== '');
      if (isWritten && portable.model !== null) models.add(portable.model);
      return isWritten;
    });
    const [created_at, updated_at] = [seconds(createdAt), seconds(updatedAt)];
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
    // With an empty list, Open WebUI cannot select a model.
    const chat = { title: title ?? '', models: models.size === 0 ? [''] : [...models].slice(-1), timestamp: createdAt };
    yield `${open(head)},"chat":${open(chat)},"history":{"currentId":${JSON.stringify(graph.active)},"messages":{`;
    let comma = '';
    for await (const rows of whole.messages()) {
      for (const row of rows) {
        const parentId = graph.parents.get(row.id);
        if (parentId === undefined) continue;
        const links = { id: row.id, parentId, childrenIds: graph.children(row.id) };
        const message = { ...links, ...membersOf(portableMessage(row)), timestamp: seconds(row.createdAt) };
        yield `${comma}${JSON.stringify(row.id)}:${JSON.stringify(message)}`;
        comma = ',\n';
      }
    }
    yield '}}}}';
  },
};

function membersOf(portable: PortableMessage): object {
  const { role, parts, model } = portable;
  const files = parts.flatMap((part) =>
    part.kind === 'image' ? [{ type: 'image', url: part.url, name: part.name }] : [],
  );
  return {
    role,
    content: parts
      .map((part) => contentOf(part, portable))
      .filter((text) => text !== '')
      .join('\n\n'),
    ...(files.length > 0 ? { files } : {}),
    // Without `done`, the answer counts as unfinished.
    ...(role === 'assistant' ? { done: true, ...(model === null ? {} : { model, modelName: model }) } : {}),
  };
}

/** Answers contain thoughts and calls as elements, which Open WebUI folds. */
function contentOf(part: PortablePart, { role }: PortableMessage): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'image' || role !== 'assistant') return '';
  if (part.kind === 'thoughts') {
    const quoted = escaped(part.text).replace(/^/gm, '&gt; ');
    return `<details type="reasoning" done="true" duration="0">\n<summary>Thoughts</summary>\n${quoted}\n</details>`;
  }
  const { id, name, input, output } = part;
  const attributes: Record<string, string> = {
    id,
    name,
    arguments: JSON.stringify(input),
    ...(output === undefined ? {} : { result: JSON.stringify(output) }),
  };
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<details type="tool_calls" done="true"${written.join('')}>\n<summary>Tool Executed</summary>\n</details>`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

/** Whole seconds: Open WebUI refuses fractions. */
function seconds(time: number): number {
  return Math.floor(time / 1000);
}

/** An object without its last brace, so that more members can follow. */
function open(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}
