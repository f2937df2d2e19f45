/** What can go wrong, told apart by class, or by `code`. */
import type { PlacedFragment } from '../generated/operations.js';

/** Whatever this package fails with. The message can be shown to users; `cause` has the technical reason. */
export class ParleyError extends Error {
  override name = 'ParleyError';
  constructor(
    message: string,
    /** What kind of failure it is: an ErrorCode of the contract, `extensions.code` of an error, or one of this package. */
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A failure that the contract foresees, a member of the union that a mutation answers: nothing was written. */
export class RefusedError extends ParleyError {
  override name = 'RefusedError';
  constructor(
    message: string,
    code: string,
    /** The path of the input field at fault, of INVALID_INPUT alone. */
    readonly path: string | null,
  ) {
    super(message, code);
  }
}

/** Somebody else has moved the head of the branch that was to be written to. */
export class HeadConflictError extends RefusedError {
  override name = 'HeadConflictError';
  constructor(
    message: string,
    readonly expectedHeadId: string | null,
    readonly actualHead: PlacedFragment | null,
    readonly branch: { id: string; name: string },
    /** What the client has not seen, root first; empty when the branch went elsewhere. */
    readonly newerMessages: readonly PlacedFragment[],
  ) {
    super(message, 'HEAD_CONFLICT', null);
  }
}

/** What a writer has sent does not go on where the draft ends. */
export class DraftOffsetError extends RefusedError {
  override name = 'DraftOffsetError';
  constructor(
    message: string,
    code: string,
    /** How many chunks the server has. */
    readonly length: number,
  ) {
    super(message, code, null);
  }
}

/** The server has refused the operation itself, or has failed at it: its code says why. */
export class RequestError extends ParleyError {
  override name = 'RequestError';
}

/** There was no answer, or none that says whether it was done: the same may be asked again. */
export class UnreachableError extends ParleyError {
  override name = 'UnreachableError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'UNREACHABLE', options);
  }
}

/** The token was refused, and a fresh one, too. */
export class UnauthorizedError extends ParleyError {
  override name = 'UnauthorizedError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'UNAUTHENTICATED', options);
  }
}

/** What was asked is not wanted any more: it was closed. */
export class ClosedError extends ParleyError {
  override name = 'ClosedError';
  constructor() {
    super('It was closed', 'CLOSED');
  }
}

/** The code of an error of this package; undefined for any other value. */
export const codeOf = (reason: unknown): string | undefined =>
  reason instanceof ParleyError ? reason.code : undefined;

/** Says that a request can be repeated, in words for users; the reason is the `cause`. */
export const unreachable = (cause: unknown): UnreachableError =>
  new UnreachableError('The server cannot be reached', { cause });

/** Any value that was thrown, as an error of this package. The text of an unknown one is not for users. */
export const asParleyError = (cause: unknown): ParleyError =>
  cause instanceof ParleyError ? cause : new ParleyError('Something went wrong', 'UNKNOWN', { cause });
