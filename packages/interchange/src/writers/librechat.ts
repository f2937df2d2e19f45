/**
 * A conversation as LibreChat exports it: a list whose messages name their parents. It reads one a file, and takes every
 * array for ChatGPT's.
 */
import { COMMON_LOSSES, iso, saidIn } from './said.js';
import { ARRAY, type Writer } from './writer.js';

/** Whose child a first message is. */
const NO_PARENT = '00000000-0000-0000-0000-000000000000';

export const libreChat: Writer = {
  name: 'librechat',
  label: 'LibreChat',
  extension: 'json',
  mediaType: 'application/json',
  fileName: 'librechat.json',
  losses: [...COMMON_LOSSES, 'the active branch', 'that a message is of the system: its sender says so'],
  frame: ARRAY,
  isBareAlone: true,
  async *write({ chat, messages }) {
    const { id, title, createdAt, updatedAt } = chat;
    const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
    const head = {
      conversationId: id,
      title: title ?? '',
      ...times,
      endpoint: 'openAI',
      branches: true,
      recursive: false,
    };
    yield `${JSON.stringify({ ...head, options: {} }).slice(0, -1)},"messages":[`;
    let comma = '';
    for await (const rows of messages()) {
      for (const row of rows) {
        const { role, text } = saidIn(row);
        const links = { messageId: row.id, parentMessageId: row.parentId ?? NO_PARENT, conversationId: id };
        const sender = { user: 'User', assistant: 'Assistant', system: 'System' }[role];
        const message = { ...links, sender, text, isCreatedByUser: role === 'user', createdAt: iso(row.createdAt) };
        yield `${comma}${JSON.stringify(message)}`;
        comma = ',\n';
      }
    }
    yield ']}';
  },
};
