/** Ids of messages: chosen by the caller, or generated. */
import type { ContextFragment } from '../fragments/fragment.js';
import type { FragmentCodec } from '../codec.js';

/**
 * The codecs of fragments with generated ids, which their copies share; the value is whether a message with that id was
 * set.
 */
const made = new WeakMap<FragmentCodec, { isTaken: boolean }>();

/** Records that the id of the fragment with this codec was generated. */
export function noteMadeId(codec: FragmentCodec): void {
  made.set(codec, { isTaken: false });
}

/**
 * The id of a fragment as a message. A chosen id always names the same message. A generated id is used once: a constant
 * that is set again, such as user('Please continue.'), is another message.
 */
export function takeId({ id, codec }: ContextFragment): string {
  const mark = codec && made.get(codec);
  if (id === undefined || mark?.isTaken === true) return crypto.randomUUID();
  if (mark !== undefined) mark.isTaken = true;
  return id;
}
