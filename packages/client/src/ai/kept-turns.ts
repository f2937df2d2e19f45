/** The messages of turns in an outbox: they survive a reload, and wait for the network and the next sign-in. */
import type { UIMessage } from 'ai';
import { isUnreachable, UnauthorizedError } from '@parley/transport/errors';
import { now } from '../message.js';
import type { Outbox, SentMessage } from '../store/outbox.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../thread-store.js';
import { sentOf, type Turn } from './turn.js';

export class KeptTurns<Message extends UIMessage> {
  constructor(
    private readonly store: ThreadStore,
    private readonly outbox: Outbox | undefined,
    /** The option `branch` of the chat. */
    private readonly branch: () => string | undefined,
  ) {}

  /** Whether messages are kept before the store has read the chat. */
  get isEnabled(): boolean {
    return this.outbox !== undefined;
  }

  /** The messages that an earlier page has left. */
  async list(): Promise<readonly SentMessage[]> {
    return (await this.outbox?.list(this.store.chatId, this.branch() ?? null, true)) ?? [];
  }

  /** Keeps the message of a turn, except for files that only this page has. */
  keep(turn: Turn<Message>): void {
    const { parentId, isFork } = turn;
    if (this.outbox === undefined || parentId === undefined || isFork === undefined) return;
    const data = sentOf(turn);
    const { id, role: name, parts } = data;
    if (parts.some((part) => 'url' in part && part.url.startsWith('blob:'))) return;
    const { chatId } = this.store;
    const place = { parentId, branch: this.branch() ?? null, isLoose: isFork };
    const sent = { id, chatId, name, content: { data }, createdAt: now(), ...place, isAsked: true };
    this.outbox.keep(sent, new Promise((settle) => (turn.settle = settle)));
  }

  /** Whether the store has read the chat, or cannot read it. An outbox waits for the next sign-in. */
  isOpened({ chat, status }: ThreadState): boolean {
    return chat !== null || !(this.isEnabled ? /opening|away|refused/ : /opening|away/).test(status);
  }

  /** @param signal ends the wait */
  async opened(signal?: AbortSignal): Promise<void> {
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    await Promise.race([aborted, this.store.when((state) => this.isOpened(state))]);
  }

  /** Whether a kept message is sent again after this failure. */
  isRepeated({ expected }: Turn<Message>, reason: unknown): boolean {
    if (!this.isEnabled || expected === undefined || this.store.getState().status === 'closed') return false;
    return isUnreachable(reason) || reason instanceof UnauthorizedError;
  }
}
