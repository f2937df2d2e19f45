/** Changes of the branches and checkpoints of a chat. */
import type { Operation } from '../connection/operation.js';
import type { Guess } from '../store/optimism.js';
import type { Outcome } from '../outcome.js';
import type { OptimisticWrites } from './optimistic-writes.js';

/** A mutation of the chat. */
type Change<Input> = Operation<object, { input: Input }>;

/** The common fields of the payloads of these mutations. */
interface Changed {
  chat: { version: number };
  branch?: { id: string; name: string; head: { id: string } | null };
  checkpoint?: Changed;
}

export class ChatChanges {
  constructor(private readonly writes: OptimisticWrites) {}

  /**
   * Activates another branch or a new one.
   * @param leafId the end of its thread; undefined when it is unknown
   */
  async move<Input>(
    operation: Change<Input>,
    input: Omit<Input, 'chatId'>,
    leafId: string | null | undefined,
  ): Promise<Outcome> {
    const guess: Guess = { show: leafId };
    const outcome = await this.run(operation, input, guess, ({ branch }) => {
      guess.show = branch?.head?.id ?? null;
      this.writes.follow(guess);
    });
    // A thread that was not read before.
    if (outcome.ok) await this.writes.model.when(({ isLoading }) => !isLoading);
    return outcome;
  }

  async run<Input>(
    operation: Change<Input>,
    given: Omit<Input, 'chatId'>,
    guess: Guess = {},
    done?: (changed: Changed) => void,
  ): Promise<Outcome> {
    const { writes } = this;
    const outcome = await writes.write(
      guess,
      async (signal) => Object.values(await writes.run(operation, given, signal))[0] as Changed,
      // Repeating another change could create a second branch.
      guess.checkpoint !== undefined,
    );
    if (!outcome.ok) return outcome;
    const { value } = outcome;
    done?.(value);
    const { chat, branch } = value.checkpoint ?? value;
    const { record } = writes.model;
    const known = chat.version > record.seq && branch && record.branch(branch.id);
    // Before its event arrives.
    if (known) record.put(known.id, branch.name, known.headId);
    writes.keep(guess, chat.version);
    return { ok: true, value: undefined };
  }
}
