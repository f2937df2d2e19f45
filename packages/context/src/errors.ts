/**
 * What the library throws when something expected went wrong. Whoever gets one knows that nothing was written, but for
 * UNAVAILABLE and INTERNAL, of which nobody knows.
 */

export type ContextErrorCode =
  /** A value is wrong; `path` says where. */
  | 'INVALID_INPUT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  /** The head is not the one that was expected. */
  | 'HEAD_CONFLICT'
  /** The server wants a token, or another one: see the option `headers` of RemoteStore. */
  | 'UNAUTHENTICATED'
  /** The store does not answer, or not now: whether a change was made is not known, see ContextEngine.save for doing it again. */
  | 'UNAVAILABLE'
  /** The server answered that something unexpected went wrong. */
  | 'INTERNAL';

export class ContextError extends Error {
  override readonly name = 'ContextError';
  constructor(
    readonly code: ContextErrorCode,
    message: string,
    /** Where in what was given, such as 0.data.limits; null when no single place is at fault. */
    readonly path: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A value is wrong. */
export function invalid(message: string, path: string | null = null): ContextError {
  return new ContextError('INVALID_INPUT', message, path);
}

/** The writer of a draft has sent what comes behind a gap. */
export class DraftOffsetError extends ContextError {
  constructor(
    message: string,
    /** How many chunks the draft has: where the writer is to go on. */
    readonly length: number,
  ) {
    super('INVALID_INPUT', message, 'offset');
  }
}
