/** What is shown before the server has confirmed it: taken away again when it is refused, or once its events have come. */
import type { Checkpoint } from './chat-record.js';
import type { Message } from './message.js';

export interface Guess {
  /** The message at the end of the thread then; null for none. */
  show?: string | null;
  /** The message before a sent one: after a refusal the thread that ends there is not another thread. */
  after?: string | null;
  /** Somebody looks at something else since. */
  isLeft?: boolean;
  /** Messages that are not saved yet. */
  messages?: readonly Message[];
  /** A checkpoint that is set. */
  checkpoint?: Checkpoint;
  /** The name of one that is removed. */
  noCheckpoint?: string;
  /** It is confirmed: the events up to this one tell of it. */
  until?: number;
}

export class Optimism {
  #guesses: Guess[] = [];

  /** The end of the thread by the newest guess of it; undefined without one. */
  get end(): string | null | undefined {
    return this.#guesses.findLast(({ show, isLeft }) => show !== undefined && isLeft !== true)?.show;
  }

  /** Whether all that was done is known to have happened, or not to. */
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

  /** Something else is looked at from now on, whatever becomes of them. */
  leave(): void {
    for (const guess of this.#guesses) guess.isLeft = true;
  }

  clear(): void {
    this.#guesses = [];
  }

  /** Takes away what the events up to this one have told. */
  arrive(seq: number): void {
    this.#guesses = this.#guesses.filter(({ until }) => until === undefined || until > seq);
  }

  /** All messages that are not saved yet. */
  get messages(): readonly Message[] {
    return this.#guesses.flatMap(({ messages = [] }) => messages);
  }

  message(id: string): Message | undefined {
    return this.messages.find((message) => message.id === id);
  }

  /** Whether a message that is not saved yet follows this one. */
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
