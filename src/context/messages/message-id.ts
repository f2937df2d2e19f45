/** The ids of messages: chosen by whoever makes one, or made with it. */
import type { ContextFragment } from '../fragments/fragment.js';

/** Those that were made, and whether a message has been set with them. */
const made = new WeakMap<ContextFragment, { isTaken: boolean }>();

/** Notes that the id of a fragment was made and not chosen. */
export function noteMadeId(fragment: ContextFragment): ContextFragment {
  made.set(fragment, { isTaken: false });
  return fragment;
}

/**
 * The id under which a fragment is a message. One that was chosen says that it is the same message, however often it is set.
 * One that was made is good for once: who sets the same fragment again, a constant such as user('Please continue.'), says it
 * again.
 */
export function takeId(fragment: ContextFragment): string {
  const mark = made.get(fragment);
  if (fragment.id === undefined || mark?.isTaken === true) return crypto.randomUUID();
  if (mark !== undefined) mark.isTaken = true;
  return fragment.id;
}
