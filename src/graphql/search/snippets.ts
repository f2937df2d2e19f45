/**
 * The snippets that operations ask for. One of a megabyte takes a third of a second to read, and a page has many hits: so
 * those of an operation are made one after the other, and everybody else has a turn before each.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hitSnippet } from '../../conversation/hit-snippet.js';
import type { Hit } from '../../conversation/reads.js';
import type { Context } from '../context.js';

type Shown = Pick<Hit, 'message' | 'query'>;
type Asking = Pick<Context, 'content'>;

/** Each is made once, under however many names it is asked for. */
const snippets = new WeakMap<Shown, Promise<string>>();
/** When the last one that an operation has asked for is there. */
const queues = new WeakMap<Asking, Promise<unknown>>();

/** The snippet of a hit; none is made any more when the operation is over. */
export function snippetOf(hit: Shown, context: Asking): Promise<string> {
  const known = snippets.get(hit);
  if (known !== undefined) return known;
  const made = make(hit, context, queues.get(context));
  snippets.set(hit, made);
  queues.set(
    context,
    made.catch(() => undefined),
  );
  return made;
}

async function make(hit: Shown, { content }: Asking, before: Promise<unknown> | undefined): Promise<string> {
  await before;
  await nextTurn();
  // Nobody waits for it, nor for those behind it, and nobody would catch an error.
  if (content?.isOver === true) return new Promise<never>(() => {});
  return hitSnippet(hit);
}
