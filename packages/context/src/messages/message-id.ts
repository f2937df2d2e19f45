/** The ids of messages: chosen by whoever makes one, or made with it. */
import type { ContextFragment } from '../fragments/fragment.js';
import type { FragmentCodec } from './codec.js';

/** The codecs of fragments whose ids were made, which their copies share: whether a message has been set with that id. */
const made = new WeakMap<FragmentCodec, { isTaken: boolean }>();

/** Notes that the id of the fragment with this codec was made and not chosen. */
export function noteMadeId(codec: FragmentCodec): void {
  made.set(codec, { isTaken: false });
}

/**
 * The id under which a fragment is a message. One that was chosen says that it is the same message, however often it is set.
 * One that was made is good for once: who sets the same fragment again, a constant such as user('Please continue.'), says it
 * again.
 */
export function takeId({ id, codec }: ContextFragment): string {
  const mark = codec && made.get(codec);
  if (id === undefined || mark?.isTaken === true) return crypto.randomUUID();
  if (mark !== undefined) mark.isTaken = true;
  return id;
}
