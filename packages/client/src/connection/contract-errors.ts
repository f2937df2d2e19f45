/** Failures that the contract declares: members of the unions that mutations return. */
import { ParleyError } from '@parley/transport/errors';
import type { PlacedFragment } from '../generated/operations.js';

/** An invalid field of an input. */
export interface InputProblem {
  /** The names and list positions from the input to the field; empty when no single field is at fault. */
  readonly path: readonly string[];
  readonly message: string;
}

/** A failure that the contract declares: nothing was written. */
export class RefusedError extends ParleyError {
  override name = 'RefusedError';
  /** The path of the first invalid field, such as `messages.0.name`; null without a field. */
  readonly path: string | null;
  constructor(
    message: string,
    code: string,
    /** The first 20 invalid fields of the input; empty except for INVALID_INPUT. */
    readonly problems: readonly InputProblem[] = [],
  ) {
    super(message, code);
    this.path = problems[0]?.path.join('.') || null;
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
    super(message, 'HEAD_CONFLICT');
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
    super(message, code);
  }
}
