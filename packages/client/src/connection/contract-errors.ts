/** Failures that the contract declares: members of the unions that mutations return. */
import { ParleyError } from '@parley/transport/errors';
import type { PlacedFragment } from '../generated/operations.js';

/** A failure that the contract declares: nothing was written. */
export class RefusedError extends ParleyError {
  override name = 'RefusedError';
  constructor(
    message: string,
    code: string,
    /** The path of the invalid input field; null except for INVALID_INPUT. */
    readonly path: string | null,
  ) {
    super(message, code);
  }
}

/** Another writer has moved the head of the branch. */
export class HeadConflictError extends RefusedError {
  override name = 'HeadConflictError';
  constructor(
    message: string,
    readonly expectedHeadId: string | null,
    readonly actualHead: PlacedFragment | null,
    readonly branch: { id: string; name: string },
    /** The messages that the client has not seen, root first; empty when the branch was rewound. */
    readonly newerMessages: readonly PlacedFragment[],
  ) {
    super(message, 'HEAD_CONFLICT', null);
  }
}

/** The offset of an append is beyond the end of the draft. */
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
