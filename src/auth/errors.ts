/** What is wrong with who asks, for the log. */
export type UnauthenticatedReason =
  | 'no token'
  | 'malformed'
  | 'expired'
  | 'not valid yet'
  | 'wrong algorithm'
  | 'unknown key'
  | 'bad signature'
  | `claim ${string}`
  | 'bad user id';

/** Nobody knows who asks. The message says what was wrong with the token, and never what was in it. */
export class UnauthenticatedError extends Error {
  readonly code = 'UNAUTHENTICATED';

  constructor(
    message: string,
    readonly reason: UnauthenticatedReason,
  ) {
    super(message);
  }

  /** Whether there was one that was refused, and not none. */
  get hasToken(): boolean {
    return this.reason !== 'no token';
  }
}

/** Tokens cannot be checked at present. */
export class AuthenticationUnavailableError extends Error {
  readonly code = 'AUTHENTICATION_UNAVAILABLE';

  constructor(options: ErrorOptions) {
    super('Tokens cannot be checked at present: try again later', options);
  }
}
