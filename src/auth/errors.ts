/** The fault of the credentials, for the log. */
export type UnauthenticatedReason =
  | 'no token'
  | 'malformed'
  | 'expired'
  | 'not valid yet'
  | 'wrong algorithm'
  | 'unknown key'
  | 'bad signature'
  | `claim ${string}`
  | 'bad user id'
  | 'access token';

/** The client is not authenticated. The message describes the fault of the token and never contains parts of it. */
export class UnauthenticatedError extends Error {
  readonly code = 'UNAUTHENTICATED';

  constructor(
    message: string,
    readonly reason: UnauthenticatedReason,
  ) {
    super(message);
  }

  /** Whether a token was refused; false when there was none. */
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
