/** The system prompts that one operation asks for. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ContextError, type ContextFragment, type ContextRenderer } from '@parley/context';
import { InvalidInputError } from '../../conversation/errors.js';

/** As JSON, in UTF-8. */
const MAX_FRAGMENT_BYTES = 1024 * 1024;
/** What they may have about, written out, in characters: in deep sections formats repeat names, or indent by them. */
const MAX_PROMPT_LENGTH = 4 * 1024 * 1024;
/** What all prompts of one operation may have together: aliases ask for many. */
const MAX_TOTAL_LENGTH = 16 * 1024 * 1024;

export class SystemPrompts {
  readonly #inTurn = pLimit(1);
  #length = 0;

  /**
   * Renders fragments, after those that were asked for before, and with a turn of the event loop for everybody else in
   * between: it takes a while.
   * @throws InvalidInputError with the path of what is at fault
   */
  render(fragments: readonly ContextFragment[], renderer: ContextRenderer): Promise<string> {
    return this.#inTurn(async () => {
      if (fragments.length === 0) return '';
      if (this.#length > MAX_TOTAL_LENGTH) {
        const limit = `the system prompts of one operation may have ${MAX_TOTAL_LENGTH} characters together`;
        throw new InvalidInputError(`fragments: ${limit}`, 'fragments');
      }
      await nextTurn();
      const prompt = render(fragments, renderer);
      this.#length += prompt.length;
      return prompt;
    });
  }
}

function render(fragments: readonly ContextFragment[], renderer: ContextRenderer): string {
  try {
    const prompt = renderer.render(fragments, { path: 'fragments', maxLength: MAX_PROMPT_LENGTH });
    // Now that they are known not to be too deep to go down into.
    checkSize(fragments);
    return prompt;
  } catch (error) {
    throw error instanceof ContextError ? new InvalidInputError(error.message, error.path) : error;
  }
}

function checkSize(fragments: readonly ContextFragment[]): void {
  let bytes = 0;
  for (const [index, fragment] of fragments.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(fragment));
    if (bytes <= MAX_FRAGMENT_BYTES) continue;
    const path = `fragments.${index}`;
    const limit = `fragments must have at most ${MAX_FRAGMENT_BYTES} bytes as JSON together`;
    throw new InvalidInputError(`${path}: ${limit}`, path);
  }
}
