/** Messages that were not saved because their branch had moved: the user chooses how to resolve each conflict. */
import { ClosedError, type ParleyError } from '@parley/transport/errors';
import { HeadConflictError } from '../connection/contract-errors.js';
import type { SavedFragment, SaveMessagesInput } from '../generated/operations.js';
import { messageOf, type Content, type Message } from '../message.js';
import type { Conflict, ConflictChoice, OnConflict } from '../store/thread-state.js';
import type { OptimisticWrites, Saved } from './optimistic-writes.js';
import { expectedHead } from './expected-head.js';

/** An unsaved message, and its input for the server. */
export interface Unsaved {
  message: Message;
  content: Content;
}

type Save = (
  messages: readonly Unsaved[],
  place: Partial<SaveMessagesInput>,
  signal: AbortSignal,
) => Promise<SavedFragment>;

export interface OpenConflict {
  /** The refused message, and the messages that were sent after it. */
  messages: Unsaved[];
  settled: Promise<Saved>;
  /** Ends the conflict without saving. */
  leave(error: ParleyError): void;
}

export class Conflicts {
  readonly #open = new Map<string, OpenConflict>();

  constructor(
    private readonly writes: OptimisticWrites,
    private readonly save: Save,
    /** The resolution of every conflict that offers it. */
    private readonly onConflict: OnConflict | undefined,
  ) {}

  close(): void {
    for (const { leave } of this.#open.values()) leave(new ClosedError());
  }

  /** Adds a message to the open conflict that its parent waits for. */
  add(unsaved: Unsaved): OpenConflict | undefined {
    const { parentId } = unsaved.message;
    const conflict = [...this.#open.values()].find((open) =>
      open.messages.some(({ message }) => message.id === parentId),
    );
    if (!conflict) return undefined;
    conflict.messages.push(unsaved);
    this.#set((conflicts) => [...conflicts]);
    return conflict;
  }

  /** @param named the intended branch */
  open(error: HeadConflictError, unsaved: Unsaved[], named: { branch: string } | undefined): OpenConflict {
    const { model } = this.writes;
    model.take(error.newerMessages);
    if (error.actualHead !== null) model.take([error.actualHead]);
    const [{ message }] = unsaved as [Unsaved];
    const { id } = message;
    let settle = (_outcome: Saved) => {};
    const settled = new Promise<Saved>((resolve) => (settle = resolve));
    const remove = () => {
      this.#open.delete(id);
      this.#set((conflicts) => conflicts.filter((other) => other.id !== id));
    };
    const end = (outcome: Saved) => {
      remove();
      settle(outcome);
      model.changed();
    };
    const leave = (reason: ParleyError) => end({ ok: false, error: reason });
    const resolve = async (choice: ConflictChoice): Promise<Saved> => {
      if (!this.#open.has(id)) return settled;
      if (choice === 'discard') leave(error);
      else {
        remove();
        end(await this.#resolve(choice, error, unsaved, named));
      }
      return settled;
    };
    const newerMessages = error.newerMessages.map(messageOf);
    const conflict = { messages: unsaved, settled, leave };
    this.#open.set(id, conflict);
    const choices: ConflictChoice[] = [...(newerMessages.length > 0 ? (['append'] as const) : []), 'fork', 'discard'];
    const chosen = choices.find((choice) => choice === this.onConflict);
    // Messages that were sent after this one join the conflict first.
    if (chosen) void this.writes.add(async () => {}).then(() => resolve(chosen));
    else {
      this.#set((conflicts) => [
        ...conflicts,
        {
          id,
          get messages() {
            return unsaved.map((one) => one.message);
          },
          newerMessages,
          choices,
          resolve,
        },
      ]);
    }
    model.changed();
    return conflict;
  }

  async #resolve(
    choice: 'append' | 'fork',
    error: HeadConflictError,
    unsaved: Unsaved[],
    named: { branch: string } | undefined,
  ): Promise<Saved> {
    const { expectedHeadId, actualHead } = error;
    let parentId = choice === 'append' ? (actualHead?.id ?? null) : expectedHeadId;
    const messages = unsaved.map(({ message }) => {
      const placed = { ...message, parentId };
      parentId = message.id;
      return placed;
    });
    const guess = { show: parentId, messages };
    const onConflict = choice === 'append' ? 'APPEND' : 'FORK';
    const place = { expectedHead: expectedHead(expectedHeadId), onConflict, ...named } as const;
    const outcome = await this.writes.write(guess, (signal) => this.save(unsaved, place, signal));
    if (outcome.ok) return this.writes.confirm(guess, outcome.value);
    // The branch has moved again.
    return outcome.error instanceof HeadConflictError ? this.open(outcome.error, unsaved, named).settled : outcome;
  }

  #set(change: (conflicts: readonly Conflict[]) => readonly Conflict[]): void {
    const { model } = this.writes;
    model.conflicts = change(model.conflicts);
  }
}
