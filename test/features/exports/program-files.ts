/** The rules by which Open WebUI and LibreChat read a file, from their public import code. */
import { isJsonObject, type JsonObject } from '../../../packages/interchange/src/file-values.js';

const ROLES = ['user', 'assistant', 'system'];
/** The parent of first messages in LibreChat. */
const NO_PARENT = '00000000-0000-0000-0000-000000000000';

type Check = readonly [rule: string, isKept: boolean];

const broken = (place: string, checks: readonly Check[]) =>
  checks.flatMap(([rule, isKept]) => (isKept ? [] : [`${place}: ${rule}`]));
const isText = (value: unknown): value is string => typeof value === 'string';
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const isImage = ({ type, url }: JsonObject) => type === 'image' && isText(url) && /^(data|https?):/.test(url);

/** @returns the rules that a file breaks for an import into Open WebUI */
export function openWebUiFaults(file: unknown): string[] {
  if (!Array.isArray(file)) return ['the file is a list'];
  return listOf(file).flatMap((entry, n) => {
    const chat = objectOf(entry['chat']);
    const history = objectOf(chat['history']);
    const messages = objectOf(history['messages']);
    const ids = Object.keys(messages);
    return [
      ...broken(`chat ${n}`, [
        ['a chat with a mapping is read as one of ChatGPT', !('mapping' in entry)],
        ['created_at is an integer', Number.isInteger(entry['created_at'])],
        ['updated_at is an integer', Number.isInteger(entry['updated_at'])],
        ['meta is an object', isJsonObject(entry['meta'])],
        ['pinned is a boolean', typeof entry['pinned'] === 'boolean'],
        ['the title is a text', isText(chat['title'])],
        ['models are texts, at least one', Array.isArray(chat['models']) && isText(chat['models'][0])],
        ['messages are an object', isJsonObject(history['messages'])],
        ['currentId is a message', ids.length === 0 || ids.includes(String(history['currentId']))],
      ]),
      ...ids.flatMap((id) => openWebUiMessageFaults(id, messages)),
    ];
  });
}

function openWebUiMessageFaults(key: string, messages: JsonObject): string[] {
  const { id, parentId, childrenIds, role, content, timestamp, done, models, files } = objectOf(messages[key]);
  const parent = isText(parentId) ? messages[parentId] : parentId;
  const children = Array.isArray(childrenIds) ? childrenIds.map((child) => objectOf(messages[String(child)])) : [];
  return broken(`message ${key}`, [
    ['its id is its key', id === key],
    ['its parent exists', parent !== undefined],
    ['its parent lists it', parent === null || listed(parent, key)],
    [
      'its children exist and name it',
      Array.isArray(childrenIds) && children.every((child) => child['parentId'] === key),
    ],
    ['its role is known', ROLES.includes(String(role))],
    ['its content is a text', isText(content)],
    ['its timestamp is an integer', Number.isInteger(timestamp)],
    ['an answer is done', role !== 'assistant' || done === true],
    ['several models of a question make its answers columns', !Array.isArray(models) || models.length === 1],
    ['its files are images', files === undefined || listOf(files).every(isImage)],
    ['it shows something', content !== '' || listOf(files).length > 0],
  ]);
}

const listed = (parent: unknown, id: string) => {
  const { childrenIds } = objectOf(parent);
  return Array.isArray(childrenIds) && childrenIds.filter((child) => child === id).length === 1;
};

/** @returns the rules that a file breaks for an import into LibreChat */
export function libreChatFaults(file: unknown): string[] {
  if (!isJsonObject(file)) return ['a list is read as ChatGPT conversations'];
  const { conversationId, messages, recursive, title, options } = file;
  const before = new Set([NO_PARENT]);
  return [
    ...broken('conversation', [
      ['it has an id', isText(conversationId) && conversationId !== ''],
      ['it has a list of messages', Array.isArray(messages)],
      ['a recursive one has nested messages', recursive !== true],
      ['its title is a text', isText(title)],
      ['its options are an object', isJsonObject(options)],
    ]),
    ...listOf(messages).flatMap((message) => {
      const { messageId, parentMessageId, text, content, createdAt, isCreatedByUser, sender, files } = message;
      const isNew = isText(messageId) && !before.has(messageId);
      const faults = broken(`message ${String(messageId)}`, [
        ['its id is its own', isNew],
        // The import maps ids in the order of the list.
        ['its parent comes before it', before.has(String(parentMessageId))],
        ['it has a text', isText(text)],
        [
          'a message without text and content is skipped',
          text !== '' || listOf(content).length > 0 || listOf(files).length > 0,
        ],
        ['its content has known parts', content === undefined || listOf(content).every(isLibreChatPart)],
        ['createdAt is a time', isText(createdAt) && !Number.isNaN(Date.parse(createdAt))],
        ['isCreatedByUser is a boolean', typeof isCreatedByUser === 'boolean'],
        ['its sender is a text', isText(sender)],
        [
          'its files have a path and a type',
          listOf(files).every(({ filepath, type }) => isText(filepath) && isText(type)),
        ],
      ]);
      before.add(String(messageId));
      return faults;
    }),
  ];
}

function isLibreChatPart({ type, text, think, tool_call: call }: JsonObject): boolean {
  if (type === 'text') return isText(text);
  if (type === 'think') return isText(think);
  const { id, name, args } = objectOf(call);
  return type === 'tool_call' && isText(id) && isText(name) && isText(args);
}
