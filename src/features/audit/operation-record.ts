/** The accesses of one operation. Reads are collected, so that a chat has one line for each operation and event. */
import type { Viewer, Chat, DeletedChat } from '../../conversation/model.js';
import {
  MAX_CHATS_AT_ONCE,
  type AuditCaller,
  type AuditedAccess,
  type AuditedUser,
  type AuditEvent,
  type AuditRecord,
  type WatchedServices,
  type AuditResult,
} from '../../audit.js';
import { mayAccess } from '../../conversation/access/ownership.js';
import { chatIdsIn, readRuleOf } from '../../conversation/read-rules.js';
import type { ConversationReads } from '../../conversation/reads.js';

/** A line of the audit log, parsed: see docs/operations.md. None contains texts, titles, queries or tokens. */
export interface AuditLine {
  readonly time: string;
  readonly event: AuditEvent;
  readonly result: AuditResult;
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly accessTokenId: string | null;
  readonly chatIds: readonly string[];
  readonly target: string | null;
  readonly field?: string;
  readonly route: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly address: string | null;
}

/** Chat ids of a line: those beyond are in further lines. */
const MAX_CHAT_IDS = 100;

/** @returns the lines, each with a line break */
function linesOf(access: AuditedAccess, user: AuditedUser, caller: AuditCaller, now = Date.now()): string[] {
  const { event, result, chatIds, target = null, field } = access;
  const lines: string[] = [];
  for (let start = 0; start === 0 || start < chatIds.length; start += MAX_CHAT_IDS) {
    const line: AuditLine = {
      time: new Date(now).toISOString(),
      event,
      result,
      userId: user.userId,
      isAdmin: user.isAdmin,
      accessTokenId: user.accessToken?.id ?? null,
      chatIds: chatIds.slice(start, start + MAX_CHAT_IDS),
      target,
      ...(field !== undefined && { field }),
      route: caller.route ?? '/graphql',
      requestId: caller.requestId,
      traceId: caller.parent?.traceId ?? null,
      address: caller.address,
    };
    lines.push(`${JSON.stringify(line)}\n`);
  }
  return lines;
}

export class OperationRecord implements AuditRecord {
  readonly #reads = new Map<AuditEvent, Set<string>>();
  /** Existing chats whose access was checked. */
  readonly #known = new Set<string>();
  #denied = new Set<string>();
  /** Chats of the operation's other lines, which include reading. */
  readonly #changed = new Set<string>();
  #isOver = false;

  constructor(
    private readonly write: (lines: readonly string[]) => void,
    private readonly user: AuditedUser,
    private readonly caller: AuditCaller,
  ) {}

  read(event: AuditEvent, chatIds: Iterable<string>): void {
    const collected = this.#reads.get(event) ?? new Set();
    this.#reads.set(event, collected);
    for (const id of chatIds) {
      collected.add(id);
      if (event === 'chat.exported' && collected.size >= MAX_CHATS_AT_ONCE) this.#writeReads();
    }
    // Work that continues after a timeout.
    if (this.#isOver) this.#writeReads();
  }

  check(chatId: string, mayAccess: boolean): void {
    this.#known.add(chatId);
    if (!mayAccess) this.#denied.add(chatId);
  }

  missed(event: AuditEvent, field?: string): void {
    const chatIds = [...this.#denied];
    this.#denied = new Set();
    this.#add({ event, result: chatIds.length === 0 ? 'not_found' : 'refused', chatIds, field });
  }

  refused(access: AuditedAccess): void {
    this.#add({ ...access, chatIds: access.chatIds.filter((id) => this.#known.has(id)) });
  }

  done(access: Omit<AuditedAccess, 'result'>, isQuiet = false): void {
    for (const id of access.chatIds) this.#changed.add(id);
    if (!isQuiet) this.#add({ ...access, result: 'ok' });
  }

  watch(services: WatchedServices, viewer: Viewer): WatchedServices {
    return audited(services, this, viewer);
  }

  end(): void {
    this.#writeReads();
    this.#isOver = true;
  }

  #writeReads(): void {
    for (const [event, collected] of this.#reads) {
      const isChatRead = event === 'chat.read';
      const chatIds = isChatRead ? [...collected].filter((id) => !this.#changed.has(id)) : [...collected];
      // Other reads, such as a search without hits or a list for admins, have a line without chats, too.
      if (chatIds.length > 0 || !isChatRead) this.#add({ event, result: 'ok', chatIds });
    }
    this.#reads.clear();
  }

  #add(access: AuditedAccess): void {
    this.write(linesOf(access, this.user, this.caller));
  }
}

/**
 * Records the chats that an operation reads. Every read of an operation goes through ConversationReads: a field cannot
 * return data of a chat without a record.
 */
type Found = readonly ({ chat: Chat } | null)[];
type Results = { [Name in keyof ConversationReads]: Awaited<ReturnType<ConversationReads[Name]>> };

/** The same reads and store, which record what they return. */
function audited({ reads, store }: WatchedServices, record: AuditRecord, viewer: Viewer): WatchedServices {
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
