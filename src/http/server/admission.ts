/** Who may come in, over whichever transport: who asks is known, and has not asked for too much. */
import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { AuthenticationUnavailableError, UnauthenticatedError } from '../../auth/errors.js';
import type { Authenticator, Credentials, Session } from '../../auth/session.js';
import type { RateLimits } from '../../limits/rates.js';

export interface AdmissionOptions {
  authenticator: Authenticator;
  rates: RateLimits;
  /** Takes an error that nobody expected, and the id that the client was given. */
  logError: (id: string, error: unknown) => void;
}

/** Where limits count those who have no address: requests without a socket. */
const NO_ADDRESS = 'none';

export class Admission {
  /** Of the failure that keeps tokens from being checked: told once, however many meet it. */
  #outage: string | null = null;

  constructor(private readonly options: AdmissionOptions) {}

  /** Whether everybody is believed. */
  get isDevelopment(): boolean {
    return this.options.authenticator.isDevelopment;
  }

  /** Looks whether tokens can be checked, and tells when not. Never rejects. */
  async look(): Promise<void> {
    await this.options.authenticator.look().catch((error: unknown) => this.#refusal(error));
  }

  /**
   * Admits an operation of somebody who is known already.
   * @throws GraphQLError with code RATE_LIMITED
   */
  async count({ viewer }: Session, address: string | null): Promise<void> {
    await this.options.rates.countAddress(address ?? NO_ADDRESS);
    await this.options.rates.countUser(viewer.userId);
  }

  /**
   * Admits an operation that comes with its credentials. Its address is counted first: tokens cannot be guessed faster
   * than operations sent.
   * @throws GraphQLError with code RATE_LIMITED, UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE or INTERNAL_SERVER_ERROR
   */
  async admit(credentials: Credentials, address: string | null): Promise<Session> {
    await this.options.rates.countAddress(address ?? NO_ADDRESS);
    const session = await this.#identify(credentials);
    await this.options.rates.countUser(session.viewer.userId);
    return session;
  }

  async #identify(credentials: Credentials): Promise<Session> {
    try {
      const session = await this.options.authenticator.authenticate(credentials);
      this.#outage = null;
      return session;
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  #refusal(error: unknown): GraphQLError {
    if (error instanceof UnauthenticatedError) {
      // RFC 6750, section 3.
      const challenge = error.hasToken ? 'Bearer error="invalid_token"' : 'Bearer';
      const http = { status: 401, headers: { 'www-authenticate': challenge } };
      // The log takes the reason from it.
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
