/** What a message says, for formats that know a role and a text. */
import type { WrittenMessage } from '../writers/written-chat.js';
import { isJsonObject } from '../json-object.js';
import { messageText } from '../writers/message-text.js';

export type Said = { role: 'user' | 'assistant' | 'system'; text: string };

export function saidIn({ name, data }: Pick<WrittenMessage, 'name' | 'data'>): Said {
  const value: unknown = JSON.parse(data);
  const role = isJsonObject(value) ? value['role'] : undefined;
  const said = role === 'user' || role === 'system' || role === 'assistant' ? role : name;
  return { role: said === 'user' || said === 'system' ? said : 'assistant', text: messageText(value) };
}

/** What all formats but Parley's own leave behind of what stands around messages. */
export const LOSSES_AROUND = [
  'branches by name, checkpoints, and which branch is active but for its last message',
  'the log, and who has saved what',
  'metadata of chats and messages',
];

/** What all of them leave behind that hold texts alone. */
export const COMMON_LOSSES = [...LOSSES_AROUND, 'parts of messages that are not text: calls of tools, files, thoughts'];

export function seconds(time: number): number {
  return time / 1000;
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}
