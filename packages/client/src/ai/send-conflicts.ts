/** Messages that were not saved because their branch had moved: the user, or an option, chooses how to resolve each conflict. */
import type { UIMessage } from 'ai';
import { asParleyError, type ParleyError } from '@parley/transport/errors';
import { now, textOf, unsavedMessage, type Message } from '../message.js';
import type { Outcome } from '../outcome.js';
import type { Conflict, ConflictChoice, OnConflict } from '../store/thread-state.js';
import type { ThreadStore } from '../thread-store.js';
import { sentOf, type Turn } from './turn.js';

export class SendConflicts<Shown extends UIMessage> {
  list: readonly Conflict[] = [];

  constructor(
    private readonly store: ThreadStore,
    /**
     * Sends the messages of these turns, each after its predecessor.
     * @returns the error of a failed one
     */
    private readonly send: (
      turns: readonly Turn<Shown>[],
      choice: 'append' | 'fork',
    ) => Promise<ParleyError | undefined>,
    private readonly changed: () => void,
  ) {}

  /**
   * Opens a conflict after the store has read the newer messages.
   * @param waiting turns that run later: those whose messages follow the refused one are moved to the conflict
   */
  async open(turn: Turn<Shown>, reason: unknown, onConflict: OnConflict, waiting: Set<Turn<Shown>>): Promise<void> {
    const { parentId = null } = turn;
    await this.store.when(({ branch, status }) => branch?.headId !== parentId || /gone|failed/.test(status));
    const turns = [turn];
    for (const next of waiting) {
      if (!turns.some((one) => sentOf(one).id === next.parentId)) continue;
      turns.push(next);
      waiting.delete(next);
    }
    for (const { expected } of turns) expected?.withdraw();
    const newer = await this.#readAfter(parentId);
    const { id } = sentOf(turn);
    let resolved: Promise<Outcome<readonly Message[]>> | undefined;
    const conflict: Conflict = {
      id,
      messages: turns.map(messageOf),
      newerMessages: newer ?? [],
      choices: [...(newer === undefined ? [] : (['append'] as const)), 'fork', 'discard'],
      resolve: (choice) => (resolved ??= this.#resolve(turns, choice, asParleyError(reason))),
    };
    const chosen = conflict.choices.find((choice) => choice === onConflict);
    if (chosen === undefined) this.#set([...this.list, conflict]);
    else void conflict.resolve(chosen);
  }

  async #resolve(
    turns: readonly Turn<Shown>[],
    choice: ConflictChoice,
    refusal: ParleyError,
  ): Promise<Outcome<readonly Message[]>> {
    const ids = turns.map((turn) => sentOf(turn).id);
    this.#set(this.list.filter(({ id }) => id !== ids[0]));
    const refused = { ok: false, error: refusal } as const;
    if (choice === 'discard') {
      turns.forEach(({ settle }) => settle?.(refused));
      return refused;
    }
    const error = await this.send(turns, choice);
    if (error !== undefined) return { ok: false, error };
    const value = this.store.getState().allMessages.filter((message) => ids.includes(message.id));
    // Without messages, the branch has moved again.
    return value.length > 0 ? { ok: true, value } : refused;
  }

  /** The saved messages after this one in the shown thread; undefined when the thread does not contain it. */
  async #readAfter(parentId: string | null): Promise<Message[] | undefined> {
    for (;;) {
      const { thread, hasOlder, allMessages } = this.store.getState();
      const index = thread.findIndex(({ id }) => id === parentId);
      if (index >= 0 || parentId === null) return thread.slice(index + 1).filter(({ seq }) => seq < Infinity);
      const [first] = thread;
      const depth = allMessages.find(({ id }) => id === parentId)?.depth ?? -1;
      if (!hasOlder || first === undefined || first.depth <= depth) return undefined;
      await this.store.loadOlder();
      // The page could not be read.
      if (this.store.getState().thread[0]?.id === first.id) return undefined;
    }
  }

  #set(list: readonly Conflict[]): void {
    this.list = list;
    this.changed();
  }
}

function messageOf<Shown extends UIMessage>(turn: Turn<Shown>): Message {
  const data = sentOf(turn);
  const { id, role: name } = data;
  return unsavedMessage({ id, parentId: turn.parentId ?? null, name, text: textOf({ data }), data, createdAt: now() });
}
