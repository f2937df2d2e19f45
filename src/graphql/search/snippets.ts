/**
 * The snippets that operations ask for. One of a megabyte takes a third of a second to read, and a page has many hits: so
 * those of an operation are made one after the other, in steps that are counted, and everybody else has a turn before each.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import type { ContentBudget } from '../../limits/content-budget.js';
import { TooLargeError } from '../../conversation/errors.js';
import { hitSnippet } from '../../conversation/text/hit-snippet.js';
import type { Viewer } from '../../conversation/model.js';
import type { Hit } from '../../conversation/reads.js';
import { beginWordStep } from '../../scheduler/search-limiters.js';
import { underWay, type Context } from '../context.js';

/** How many steps the snippets of an operation may take, of 1,000 words each: four for each hit of the longest page. */
const MAX_STEPS = 4_000;

type Shown = Pick<Hit, 'message' | 'query'>;
type Asking = Pick<Context, 'content' | 'viewer'>;

/** Each is made once, under however many names it is asked for. */
const snippets = new WeakMap<Shown, Promise<string>>();
/** Those of each operation that is under way, or each answer of a subscription: what is over has nobody behind it. */
const operations = new WeakMap<object, Steps>();

/**
 * The snippet of a hit; none is made any more when the operation is over.
 * @throws TooLargeError when the operation's would take too many steps
 */
export function snippetOf(hit: Shown, context: Asking): Promise<string> {
  const known = snippets.get(hit);
  if (known !== undefined) return known;
  const operation = underWay(context);
  const steps = operations.get(operation) ?? new Steps(context);
  operations.set(operation, steps);
  const made = steps.inTurn(() => hitSnippet(hit, () => steps.begin()));
  snippets.set(hit, made);
  return made;
}

/** Those of an operation, or of an answer, which has another content than the next one. */
class Steps {
  /** Runs one after the other. */
  readonly inTurn: LimitFunction = pLimit(1);
  #left = MAX_STEPS;

  readonly #of: { content: ContentBudget | undefined; viewer: Viewer };

  constructor({ content, viewer }: Asking) {
    this.#of = { content, viewer };
  }

  async begin(): Promise<void> {
    const { content, viewer } = this.#of;
    await beginWordStep(viewer);
    // Nobody waits for it, nor for those behind it, and nobody would catch an error.
    if (content?.isOver === true) return new Promise<never>(() => {});
    content?.check();
    if (this.#left-- > 0) return;
    const refusal = new TooLargeError(
      `The snippets would be looked for in more than ${MAX_STEPS * 1000} words of text: ask for fewer hits at once`,
    );
    content?.refuse(refusal);
    throw refusal;
  }
}
