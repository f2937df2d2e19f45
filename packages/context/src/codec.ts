/** Converts a message between its stored form and the form for a model. */

export interface FragmentCodec {
  /** The form for a model, for resolve(). */
  decode(): unknown;
  /** The stored form, a JSON value, for save(). */
  encode(): unknown;
}

/** The codec of a message that is stored in the form for a model. */
export function messageCodec(message: unknown): FragmentCodec {
  return { decode: () => message, encode: () => message };
}
