/** Authenticates and rate-limits operations of all transports. */
import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { AuthenticationUnavailableError, UnauthenticatedError } from '../../auth/errors.js';
import type { Authenticator, Credentials, Session } from '../../auth/session.js';
import type { RateLimits } from '../../limits/rates.js';

export interface AdmissionOptions {
  authenticator: Authenticator;
  rates: RateLimits;
  /** Receives an unexpected error, and the id that the client got. */
  logError: (id: string, error: unknown) => void;
}

/** Rate-limit key of requests without a socket. */
const NO_ADDRESS = 'none';

export class Admission {
  /** The current failure that prevents checking tokens: logged once. */
  #outage: string | null = null;

  constructor(private readonly options: AdmissionOptions) {}

  /** Whether every client is trusted. */
  get isDevelopment(): boolean {
    return this.options.authenticator.isDevelopment;
  }

  /** Checks whether tokens can be checked, and logs when not. Never rejects. */
  async checkKeys(): Promise<void> {
    await this.options.authenticator.checkKeys().catch((error: unknown) => this.#refusal(error));
  }

  /**
   * Admits an operation of an authenticated session, whose access token may have been revoked meanwhile.
   * @throws GraphQLError as `admit` does
   */
  async count(session: Session, address: string | null): Promise<void> {
    const { rates, authenticator } = this.options;
    await rates.countAddress(address ?? NO_ADDRESS);
    await rates.countUser(session.viewer.userId);
    // Most sessions need no check, and no turn for one.
    if (session.viewer.accessToken === undefined) return;
    await authenticator.confirm?.(session).catch((error: unknown) => {
      throw this.#refusal(error);
    });
  }

  /**
   * Counts a request whose address has been counted.
   * @throws GraphQLError with code RATE_LIMITED
   */
  async countUser({ viewer }: Session): Promise<void> {
    await this.options.rates.countUser(viewer.userId);
  }

  /**
   * Admits an operation that carries its credentials. Its address is counted first: tokens cannot be guessed faster
   * than operations are sent.
   * @throws GraphQLError with code RATE_LIMITED, UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE or INTERNAL_SERVER_ERROR
   */
  async admit(credentials: Credentials, address: string | null): Promise<Session> {
    const { rates, authenticator } = this.options;
    await rates.countAddress(address ?? NO_ADDRESS);
    let session: Session;
    try {
      session = await authenticator.authenticate(credentials);
    } catch (error) {
      throw this.#refusal(error);
    }
    this.#outage = null;
    await rates.countUser(session.viewer.userId);
    return session;
  }

  #refusal(error: unknown): GraphQLError {
    if (error instanceof UnauthenticatedError) {
      // RFC 6750, section 3.
      const challenge = error.hasToken ? 'Bearer error="invalid_token"' : 'Bearer';
      const http = { status: 401, headers: { 'www-authenticate': challenge } };
      // The log reads the reason from it.
      return new GraphQLError(error.message, { originalError: error, extensions: { code: error.code, http } });
    }
    if (error instanceof AuthenticationUnavailableError) {
      const id = (this.#outage ??= this.#logged(error));
      const http = { status: 503, headers: { 'retry-after': '5' } };
      return new GraphQLError(error.message, { extensions: { code: error.code, id, http } });
    }
    const id = this.#logged(error);
    const http = { status: 500 };
    return new GraphQLError('Unexpected error.', { extensions: { code: 'INTERNAL_SERVER_ERROR', id, http } });
  }

  #logged(error: unknown): string {
    const id = randomUUID();
    this.options.logError(id, error);
    return id;
  }
}
