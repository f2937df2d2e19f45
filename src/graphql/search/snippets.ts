/**
 * Makes the snippets of search hits. Reading one megabyte takes a third of a second, and a page has many hits: an
 * operation makes them one by one, in counted steps with other work in between.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import type { ContentBudget } from '../../limits/content-budget.js';
import { TooLargeError } from '../../conversation/errors.js';
import { hitSnippet } from '../../conversation/text/hit-snippet.js';
import type { Viewer } from '../../conversation/model.js';
import type { Hit } from '../../conversation/reads.js';
import type { Excerpt } from '../../search/excerpt.js';
import { beginWordStep } from '../../scheduler/search-limiters.js';
import { operationKey, type Context } from '../context.js';

/** Steps of 1,000 words each for the snippets of one operation: four for each hit of the longest page. */
const MAX_STEPS = 4_000;

type Shown = Pick<Hit, 'message' | 'query'>;
type Asking = Pick<Context, 'content' | 'viewer'>;

/** Each is made once, also under several aliases. */
const snippets = new WeakMap<Shown, Promise<Excerpt>>();
/** Snippets of each running operation, or answer of a subscription; released with it. */
const operations = new WeakMap<object, Steps>();

/**
 * The snippet of a hit; none is made after the end of the operation.
 * @throws TooLargeError when the operation's snippets need too many steps
 */
export function snippetOf(hit: Shown, context: Asking): Promise<Excerpt> {
  const known = snippets.get(hit);
  if (known !== undefined) return known;
  const operation = operationKey(context);
  const steps = operations.get(operation) ?? new Steps(context);
  operations.set(operation, steps);
  const made = steps.inTurn(() => hitSnippet(hit, () => steps.begin()));
  snippets.set(hit, made);
  return made;
}

/** The steps of an operation, or of an answer, which has its own content budget. */
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
    // The operation is over: an error would be unhandled.
    if (content?.isOver === true) return new Promise<never>(() => {});
    content?.check();
    if (this.#left-- > 0) return;
    const refusal = new TooLargeError(
      `The snippets would search more than ${MAX_STEPS * 1000} words of text: request fewer hits at once`,
    );
    content?.refuse(refusal);
    throw refusal;
  }
}
