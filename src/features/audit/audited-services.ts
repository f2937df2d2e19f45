/**
 * Records the chats that an operation reads. Every read of an operation goes through ConversationReads: a field cannot
 * return data of a chat without a record.
 */
import type { AuditRecord, WatchedServices } from '../../audit.js';
import type { Chat, DeletedChat, Viewer } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/access/ownership.js';
import { chatIdsIn, readRuleOf } from '../../conversation/read-rules.js';
import type { ConversationReads } from '../../conversation/reads.js';

type Found = readonly ({ chat: Chat } | null)[];
type Results = { [Name in keyof ConversationReads]: Awaited<ReturnType<ConversationReads[Name]>> };

/** The same reads and store, which record what they return. */
export function audited({ reads, store }: WatchedServices, record: AuditRecord, viewer: Viewer): WatchedServices {
  return {
    reads: observing(reads, (name, argument, result) => {
      const chatsIn = readRuleOf(name).chats;
      if (chatsIn === 'checked') for (const each of result as Found) note(each?.chat ?? null, viewer, record);
      if (chatsIn === 'given') record.read('chat.read', chatIdsIn(argument));
      if (chatsIn === 'page')
        record.read(
          'chat.read',
          (result as Results['chatPage']).rows.map(({ id }) => id),
        );
      if (chatsIn === 'hits')
        record.read(
          'search',
          (result as Results['hits']).rows.map(({ message }) => message.chatId),
        );
      if (chatsIn === 'searched') record.read('search', chatIdsIn(argument));
      if (chatsIn === 'users') record.read('users.read', []);
    }),
    // The rules check access with the chat; reads of changes are in the line of the change.
    store: observing(store, (name, _, result) => {
      const chat = name === 'chat' || name === 'deletedChat' ? (result as Chat | DeletedChat | null) : null;
      if (chat !== null) record.check(chat.id, mayAccess(viewer, chat));
    }),
  };
}

function note(chat: Chat | null, viewer: Viewer, record: AuditRecord): void {
  if (chat === null) return;
  const isVisible = mayAccess(viewer, chat);
  record.check(chat.id, isVisible);
  if (isVisible) record.read('chat.read', [chat.id]);
}

/** @param note called with the first argument and the result of each call that succeeds */
function observing<T extends object>(target: T, note: (name: string, argument: unknown, result: unknown) => void): T {
  return new Proxy(target, {
    get: (from, name) => {
      const member: unknown = Reflect.get(from, name, from);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, from, args);
        if (!(result instanceof Promise)) return result;
        return result.then((settled: unknown) => {
          note(name, args[0], settled);
          return settled;
        });
      };
    },
  });
}
