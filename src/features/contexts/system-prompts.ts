/** The system prompts of one operation. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type ContextFragment, type ContextRenderer, ContextError } from '@parley/context';
import { InvalidInputError } from '../../conversation/errors.js';

/** As JSON, in UTF-8. */
const MAX_FRAGMENT_BYTES = 1024 * 1024;
/** Approximate maximum length of a rendered prompt: deep sections repeat names or indent. */
const MAX_PROMPT_LENGTH = 4 * 1024 * 1024;
/** Maximum length of all prompts of one operation: aliases can select many. */
const MAX_TOTAL_LENGTH = 16 * 1024 * 1024;

export class SystemPrompts {
  readonly #inTurn = pLimit(1);
  #length = 0;

  /**
   * Renders fragments after those requested earlier, with a turn of the event loop in between.
   * @throws InvalidInputError with the path of the fault
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
    // The depth is checked before the recursion.
    checkSize(fragments);
    return prompt;
  } catch (error) {
    throw asInvalidInput(error);
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

/** The error of the library as an error of a field. */
export function asInvalidInput(error: unknown): unknown {
  return error instanceof ContextError ? new InvalidInputError(error.message, error.path) : error;
}
