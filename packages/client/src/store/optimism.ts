/**
 * Unconfirmed writes that are already shown. Each is removed after its events have arrived, or when the server
 * refuses it.
 */
import type { PlacedFragment } from '../generated/operations.js';
import type { Checkpoint } from './chat-record.js';
import type { Message } from '../message.js';

export interface Guess {
  /** The expected last message of the thread; null for an empty thread. */
  show?: string | null | undefined;
  /** The message before a sent one: a refusal that returns to it does not count as another thread. */
  after?: string | null;
  /** The user has navigated elsewhere since. */
  isLeft?: boolean;
  /** Messages that were not saved yet. */
  messages?: readonly Message[];
  /** The saved messages of a confirmed write. */
  saved?: readonly PlacedFragment[];
  /** A new checkpoint. */
  checkpoint?: Checkpoint;
  /** The name of a removed checkpoint. */
  noCheckpoint?: string;
  /** The last event of the confirmed write. */
  until?: number;
}

export class Optimism {
  #guesses: Guess[] = [];

  /** The expected end of the thread after the newest write; undefined without writes. */
  get end(): string | null | undefined {
    return this.#guesses.findLast(({ show, isLeft }) => show !== undefined && isLeft !== true)?.show;
  }

  /** Whether all writes were confirmed or refused. */
  get isEmpty(): boolean {
    return this.#guesses.length === 0;
  }

  add(guess: Guess): Guess {
    this.#guesses.push(guess);
    return guess;
  }

  remove(guess: Guess): void {
    this.#guesses = this.#guesses.filter((other) => other !== guess);
  }

  /** The user has navigated: the outcome of earlier writes no longer moves the view. */
  leave(): void {
    for (const guess of this.#guesses) guess.isLeft = true;
  }

  clear(): void {
    this.#guesses = [];
  }

  /** Removes writes whose events have arrived up to this one. */
  arrive(seq: number): void {
    this.#guesses = this.#guesses.filter(({ until }) => until === undefined || until > seq);
  }

  /** All messages that were not saved yet. */
  get messages(): readonly Message[] {
    return this.#guesses.flatMap(({ messages = [] }) => messages);
  }

  /** Messages that were saved after the last event that has arrived. */
  get saved(): readonly PlacedFragment[] {
    return this.#guesses.flatMap(({ saved = [] }) => saved);
  }

  message(id: string): Message | undefined {
    return this.messages.find((message) => message.id === id);
  }

  /** Whether an unsaved message follows this one. */
  isParent(id: string): boolean {
    return this.#guesses.some(({ messages }) => messages?.some(({ parentId }) => parentId === id));
  }

  checkpoints(saved: readonly Checkpoint[]): readonly Checkpoint[] {
    return this.#guesses.reduce((list, { checkpoint, noCheckpoint = checkpoint?.name }) => {
      if (noCheckpoint === undefined) return list;
      const others = list.filter(({ name }) => name !== noCheckpoint);
      return checkpoint === undefined ? others : [checkpoint, ...others];
    }, saved);
  }
}
