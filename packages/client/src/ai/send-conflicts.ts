/** Messages that were not saved because their branch had moved: the user, or an option, chooses how to resolve each conflict. */
import type { UIMessage } from 'ai';
import { asParleyError } from '@parley/transport/errors';
import { now, textOf, unsavedMessage, type Message } from '../message.js';
import type { Outcome } from '../outcome.js';
import type { Conflict, ConflictChoice, OnConflict } from '../store/thread-state.js';
import type { ThreadStore } from '../thread-store.js';
import type { Turn } from './turn.js';

export class SendConflicts<Shown extends UIMessage> {
  list: readonly Conflict[] = [];
  readonly #turns = new Map<string, Turn<Shown>[]>();

  constructor(
    private readonly store: ThreadStore,
    /** Sends the messages of these turns, each after its predecessor. */
    private readonly send: (turns: readonly Turn<Shown>[], choice: 'append' | 'fork') => Promise<void>,
    private readonly changed: () => void,
  ) {}

  /** Adds a message to the conflict that its parent waits for. */
  add(turn: Turn<Shown>): boolean {
    const turns = [...this.#turns.values()].find((open) => open.some((one) => sentOf(one).id === turn.parentId));
    if (turns === undefined) return false;
    turns.push(turn);
    turn.expected?.withdraw();
    this.#set((list) => [...list]);
    return true;
  }

  /** Opens a conflict after the store has read the newer messages. */
  async open(turn: Turn<Shown>, reason: unknown, onConflict: OnConflict = 'ask'): Promise<void> {
    const { store } = this;
    const { parentId = null } = turn;
    await store.when(({ branch, status }) => branch?.headId !== parentId || /gone|failed/.test(status));
    turn.expected?.withdraw();
    const { thread, hasOlder } = store.getState();
    const index = thread.findIndex(({ id }) => id === parentId);
    const isBelow = index >= 0 || parentId === null || hasOlder;
    const { id } = sentOf(turn);
    const turns = [turn];
    const resolve = async (choice: ConflictChoice): Promise<Outcome<readonly Message[]>> => {
      const isOpen = this.#turns.delete(id);
      this.#set((list) => list.filter((other) => other.id !== id));
      const refused = { ok: false, error: asParleyError(reason) } as const;
      if (choice === 'discard') turns.forEach(({ settle }) => settle?.(refused));
      else if (isOpen) await this.send(turns, choice);
      const ids = turns.map((one) => sentOf(one).id);
      const value = store.getState().allMessages.filter((message) => ids.includes(message.id));
      return value.length > 0 ? { ok: true, value } : refused;
    };
    const conflict: Conflict = {
      id,
      get messages() {
        return turns.map(messageOf);
      },
      newerMessages: isBelow ? thread.slice(index + 1).filter(({ seq }) => seq < Infinity) : [],
      choices: [...(isBelow ? (['append'] as const) : []), 'fork', 'discard'],
      resolve,
    };
    this.#turns.set(id, turns);
    this.#set((list) => [...list, conflict]);
    if (onConflict !== 'ask' && conflict.choices.includes(onConflict)) void resolve(onConflict);
  }

  #set(change: (list: readonly Conflict[]) => readonly Conflict[]): void {
    this.list = change(this.list);
    this.changed();
  }
}

/** The message that a turn saves. */
export const sentOf = <Shown extends UIMessage>({ messages }: Turn<Shown>): Shown => messages.at(-1) as Shown;

function messageOf<Shown extends UIMessage>(turn: Turn<Shown>): Message {
  const data = sentOf(turn);
  const { id, role: name } = data;
  return unsavedMessage({ id, parentId: turn.parentId ?? null, name, text: textOf({ data }), data, createdAt: now() });
}
