/** The texts of the users and the health of the server. */
import { words } from '../words.js';

export const adminWords = {
  lastActive: 'Last active',
  messageCount: 'Messages',
  erase: 'Erase',
  eraseAsk: (id: string): string => `All chats of ${id} are deleted permanently. Type the id to confirm`,
  erasing: (id: string): string => `Erasing ${id}…`,
  erased: (id: string, chats: number, messages: number): string =>
    `${id} was erased: ${words.chatsCount(chats)} with ${words.messages(messages)}.`,
  erasedInPart: 'The server stopped before the end: erase the user again to continue.',
  isInLog: 'The write-ahead log of the database still contains the data: erase the user again later.',
  eraseHint: 'Make sure that the user cannot sign in any more: chats that are created meanwhile stay.',
  ready: 'The server is ready.',
  notReady: 'The server is not ready.',
  operations: 'Operations per second',
  duration: 'Milliseconds per operation',
  subscriptions: 'Subscriptions',
  connections: 'Connections',
  memory: 'Memory, MB',
  chatsOf: (user: string): string => `Chats of ${user}`,
} as const;
