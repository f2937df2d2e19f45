/**
 * The expected failures of the library. Nothing was written, except after UNAVAILABLE and INTERNAL, whose result is
 * unknown.
 */

export type ContextErrorCode =
  /** A value is wrong; `path` locates it. */
  | 'INVALID_INPUT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  /** The head is not the expected one. */
  | 'HEAD_CONFLICT'
  /** The role of the user in the chat does not allow the operation. */
  | 'FORBIDDEN'
  /** A legal hold refuses the deletion of the chat. */
  | 'LEGAL_HOLD'
  /** The owner of the chat stores too many bytes. */
  | 'STORAGE_QUOTA_EXCEEDED'
  /** The store does not have the method. */
  | 'NOT_SUPPORTED'
  /** The server requires a token, or another one: see the option `headers` of RemoteStore. */
  | 'UNAUTHENTICATED'
  /** The store does not answer, or not now; see ContextEngine.save for repeating a save. */
  | 'UNAVAILABLE'
  /** The server reported an unexpected error. */
  | 'INTERNAL';

export class ContextError extends Error {
  override readonly name = 'ContextError';
  constructor(
    readonly code: ContextErrorCode,
    message: string,
    /** The position in the input, such as 0.data.limits; null without a single position. */
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

/** An append would leave a gap in a draft. */
export class DraftOffsetError extends ContextError {
  constructor(
    message: string,
    /** How many chunks the draft has: the offset to continue from. */
    readonly length: number,
  ) {
    super('INVALID_INPUT', message, 'offset');
  }
}

/** The result of a call, or null when the chat, message or draft is missing. */
export async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ContextError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
