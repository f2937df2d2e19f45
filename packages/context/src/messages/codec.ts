/** Between what is stored and what a model is given. */

export interface FragmentCodec {
  /** What a model is given: for resolve(). */
  decode(): unknown;
  /** What is stored, a JSON value: for save(). */
  encode(): unknown;
}

/**
 * The codec of a message that is kept in the form in which a model is given it. Whatever was stored comes back unchanged,
 * so that encoding what was decoded, and decoding what was encoded, change nothing.
 */
export function messageCodec(message: unknown): FragmentCodec {
  return { decode: () => message, encode: () => message };
}
