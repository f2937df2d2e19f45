/** Failures of requests, distinguished by class or by `code`. */

/** Base of the errors. The message can be shown to users; `cause` has the technical reason. */
export class ParleyError extends Error {
  override name = 'ParleyError';
  constructor(
    message: string,
    /** The kind of failure: an ErrorCode of the contract, `extensions.code` of an error, or a code of this package. */
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server has refused or failed the operation: the code has the reason. */
export class RequestError extends ParleyError {
  override name = 'RequestError';
}

/** No response, or one that does not confirm execution: the same request can be repeated. */
export class UnreachableError extends ParleyError {
  override name = 'UnreachableError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'UNREACHABLE', options);
  }
}

/** The token and a renewed token were refused. */
export class UnauthorizedError extends ParleyError {
  override name = 'UnauthorizedError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'UNAUTHENTICATED', options);
  }
}

/** The request, or the object that sent it, was closed. */
export class ClosedError extends ParleyError {
  override name = 'ClosedError';
  constructor() {
    super('It was closed', 'CLOSED');
  }
}

/** The code of an error of this package; undefined for any other value. */
export const codeOf = (reason: unknown): string | undefined =>
  reason instanceof ParleyError ? reason.code : undefined;

/** Whether a request can be repeated. */
export const isUnreachable = (reason: unknown): boolean => reason instanceof UnreachableError;

/** The error of a request that can be repeated, with a text for users; the technical reason is the `cause`. */
export const unreachable = (cause: unknown): UnreachableError =>
  new UnreachableError('The server cannot be reached', { cause });

/** Converts any thrown value to an error of this package. Texts of unknown errors are not for users. */
export const asParleyError = (cause: unknown): ParleyError =>
  cause instanceof ParleyError ? cause : new ParleyError('Something went wrong', 'UNKNOWN', { cause });
