/** The writes of one chat: each is shown at once, until the server confirms or refuses it. */
import type { Operation } from '../connection/operation.js';
import type { Parley } from '../connection/create-parley.js';
import type { Succeeded } from '../connection/result.js';
import type { SavedFragment } from '../generated/operations.js';
import type { Message } from '../message.js';
import type { Guess } from '../store/optimism.js';
import type { Outcome } from '../outcome.js';
import type { ThreadModel } from '../store/thread-model.js';
import { WriteQueue } from '../store/write-queue.js';

export type Saved = Outcome<readonly Message[]>;

export class OptimisticWrites extends WriteQueue {
  constructor(
    readonly parley: Parley,
    readonly model: ThreadModel,
  ) {
    super(parley.retryDelay, model.closing.signal);
  }

  /** Runs a mutation of the chat. */
  run<Result, Input>(
    operation: Operation<Result, { input: Input }>,
    given: Omit<Input, 'chatId'>,
    signal: AbortSignal,
  ): Promise<Succeeded<Result>> {
    const input = { chatId: this.model.chatId, ...given } as Input;
    return this.parley.run(operation, { input }, signal);
  }

  /** Shows an optimistic change until the write is confirmed or refused. */
  write<Value>(
    guess: Guess,
    run: (signal: AbortSignal) => Promise<Value>,
    isRepeatable?: boolean,
  ): Promise<Outcome<Value>> {
    this.show(guess);
    const outcome = this.add(run, isRepeatable, () => {
      guess.messages = guess.messages?.map((message) => ({ ...message, status: 'waiting' as const })) ?? [];
      this.model.changed();
    });
    // Runs before the caller continues, and before the next write starts.
    void outcome.then(({ ok }) => {
      if (!ok) this.remove(guess);
    });
    return outcome;
  }

  show(guess: Guess): void {
    // After a jump, the end of the thread is shown, where the message is.
    if (guess.messages) this.model.view.part = null;
    this.model.guesses.add(guess);
    this.model.changed();
  }

  /** Removes an optimistic change that was refused or is no longer needed. */
  remove(guess: Guess): void {
    const { guesses, view } = this.model;
    guesses.remove(guess);
    view.takeBack(guess);
    this.model.changed();
  }

  /** Shows the saved messages. */
  confirm(guess: Guess, { messages, chat }: SavedFragment): Saved {
    const { tree } = this.model;
    this.model.take(messages);
    guess.messages = [];
    guess.saved = messages;
    guess.show = messages.at(-1)?.id ?? null;
    this.keep(guess, chat.version);
    return { ok: true, value: messages.map(({ id }) => tree.byId.get(id) as Message) };
  }

  /** Keeps an optimistic change until the events of its write have arrived. */
  keep(guess: Guess, version: number): void {
    const { guesses, record } = this.model;
    guess.until = version;
    guesses.arrive(record.seq);
    this.model.changed();
  }

  /**
   * Follows the branch of a write, unless the user has navigated elsewhere.
   * @param branch the active one by default; writes of commenters create branches that are not active
   */
  follow({ isLeft }: Guess, branch?: SavedFragment['branch']): void {
    const { record, view } = this.model;
    if (isLeft === true) return;
    view.followed = { kind: 'active' };
    if (branch?.isActive !== false) return;
    const { id, name, head } = branch;
    // Before its event arrives.
    record.put(id, name, head?.id ?? null);
    view.followed = { kind: 'branch', id };
  }
}
