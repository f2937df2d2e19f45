import type { Viewer } from '../conversation/model.js';

/** Who asks, and for how long that holds. */
export interface Session {
  readonly viewer: Viewer;
  /** In milliseconds since 1970; null for ever. */
  readonly expiresAt: number | null;
}

/** What a client says of itself: headers of a request, or members of a WebSocket's connection_init payload. */
export interface Credentials {
  /** `Bearer` and a token. */
  readonly authorization: string | null;
  /** Believed in development mode alone. */
  readonly userId: string | null;
}

/** Tells who asks. */
export interface Authenticator {
  /** Whether everybody is believed: then the server answers on this machine only. */
  readonly isDevelopment: boolean;
  /**
   * @throws UnauthenticatedError when it cannot tell
   * @throws AuthenticationUnavailableError when the keys of the tokens' issuer cannot be had
   */
  authenticate(credentials: Credentials): Promise<Session>;
  /**
   * Looks whether it could, before anybody asks.
   * @throws AuthenticationUnavailableError
   */
  look(): Promise<void>;
}
