/**
 * The snippets that operations ask for. One of a megabyte takes a third of a second to read, and a page has many hits: so
 * those of an operation are made one after the other, and everybody else has a turn before each.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ContentBudget } from '../../limits/content-budget.js';
import { hitSnippet } from '../../conversation/hit-snippet.js';
import type { Hit } from '../../conversation/reads.js';
import { underWay, type Context } from '../context.js';

type Shown = Pick<Hit, 'message' | 'query'>;
type Asking = Pick<Context, 'content'>;

/** Each is made once, under however many names it is asked for. */
const snippets = new WeakMap<Shown, Promise<string>>();
/** Those of each operation that is under way, or each answer of a subscription: what is over has nobody behind it. */
const turns = new WeakMap<object, LimitFunction>();

/** The snippet of a hit; none is made any more when the operation is over. */
export function snippetOf(hit: Shown, context: Asking): Promise<string> {
  const known = snippets.get(hit);
  if (known !== undefined) return known;
  const { content } = context;
  const inTurn = turns.get(underWay(context)) ?? pLimit(1);
  turns.set(underWay(context), inTurn);
  const made = inTurn(() => make(hit, content));
  snippets.set(hit, made);
  return made;
}

async function make(hit: Shown, content: ContentBudget | undefined): Promise<string> {
  await nextTurn();
  // Nobody waits for it, nor for those behind it, and nobody would catch an error.
  if (content?.isOver === true) return new Promise<never>(() => {});
  return hitSnippet(hit);
}
