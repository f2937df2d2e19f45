/** Nobody knows who asks. The message says what was wrong with the token, and never what was in it. */
export class UnauthenticatedError extends Error {
  readonly code = 'UNAUTHENTICATED';

  /** @param hasToken whether there was one that was refused, and not none */
  constructor(
    message: string,
    readonly hasToken: boolean,
  ) {
    super(message);
  }
}

/** Tokens cannot be checked at present. */
export class AuthenticationUnavailableError extends Error {
  readonly code = 'AUTHENTICATION_UNAVAILABLE';

  constructor(options: ErrorOptions) {
    super('Tokens cannot be checked at present: try again later', options);
  }
}
