/** The accesses of one operation. Reads are collected, so that a chat has one line for each operation and event. */
import type { Viewer } from '../../conversation/model.js';
import {
  MAX_CHATS_AT_ONCE,
  type AuditCaller,
  type AuditedAccess,
  type AuditedUser,
  type AuditEvent,
  type AuditRecord,
  type WatchedServices,
} from '../../audit.js';
import { linesOf } from './audit-lines.js';
import { audited } from './audited-services.js';

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
