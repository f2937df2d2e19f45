import type { Viewer } from '../conversation/model.js';

/** An authenticated user, and how long the authentication holds. */
export interface Session {
  readonly viewer: Viewer;
  /** In milliseconds since 1970; null for no end. */
  readonly expiresAt: number | null;
  /**
   * Calls back when the session is revoked; undefined for one that only time ends.
   * @returns a function that cancels the call
   */
  readonly onRevoked?: (callback: () => void) => () => void;
}

/** A client's claims: headers of a request, or members of a WebSocket's connection_init payload. */
export interface Credentials {
  /** `Bearer` and a token. */
  readonly authorization: string | null;
  /** Used only in development mode. */
  readonly userId: string | null;
  /** The cookie of a session, sent by a page of this server. */
  readonly sessionSecret?: string | null;
}

export interface Authenticator {
  /** Whether every client is trusted: the server then answers only on this machine. */
  readonly isDevelopment: boolean;
  /**
   * @throws UnauthenticatedError for missing or invalid credentials
   * @throws AuthenticationUnavailableError when the keys of the issuer are unavailable
   */
  authenticate(credentials: Credentials): Promise<Session>;
  /**
   * Checks a session with an access token again, without credentials; missing where only time ends sessions.
   * @throws UnauthenticatedError, AuthenticationUnavailableError
   */
  confirm?(session: Session): Promise<void>;
  /**
   * Checks at start whether tokens can be checked.
   * @throws AuthenticationUnavailableError
   */
  checkKeys(): Promise<void>;
}
