/** The accesses of one operation. Reads are collected, so that a chat has one line for each operation and event. */
import { linesOf, type AuditCaller, type AuditedAccess, type AuditedUser, type AuditEvent } from './audit-entry.js';

/** Collected chats after which an export is written: it can have any number of them. */
const MAX_COLLECTED_EXPORTS = 100;

export class AuditRecord {
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

  /** Collects a read; the chats of a search are those with hits. Only a `chat.read` has no line without chats. */
  read(event: AuditEvent, chatIds: Iterable<string>): void {
    const collected = this.#reads.get(event) ?? new Set();
    this.#reads.set(event, collected);
    for (const id of chatIds) {
      collected.add(id);
      if (event === 'chat.exported' && collected.size >= MAX_COLLECTED_EXPORTS) this.#writeReads();
    }
    // Work that continues after a timeout.
    if (this.#isOver) this.#writeReads();
  }

  /** Notes whether the user may access an existing chat; `missed` records a refusal. */
  check(chatId: string, mayAccess: boolean): void {
    this.#known.add(chatId);
    if (!mayAccess) this.#denied.add(chatId);
  }

  /** Records that the client named an object that does not exist or that the user may not access. */
  missed(event: AuditEvent, field?: string): void {
    const chatIds = [...this.#denied];
    this.#denied = new Set();
    this.#add({ event, result: chatIds.length === 0 ? 'not_found' : 'refused', chatIds, field });
  }

  /** Records a refused or failed access. @param chatIds from the client: unknown ones are left out */
  refused(access: AuditedAccess): void {
    this.#add({ ...access, chatIds: access.chatIds.filter((id) => this.#known.has(id)) });
  }

  /**
   * Records another access than a read.
   * @param isQuiet whether it has no line
   */
  done(access: Omit<AuditedAccess, 'result'>, isQuiet = false): void {
    for (const id of access.chatIds) this.#changed.add(id);
    if (!isQuiet) this.#add({ ...access, result: 'ok' });
  }

  /** Writes the reads. */
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
