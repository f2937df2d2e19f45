/** Sessions of pages: the secret in a cookie finds and decrypts the token, which decides on the rights of each request. */
import { v7 as newId } from 'uuid';
import { AuthenticationUnavailableError, UnauthenticatedError } from '../../auth/errors.js';
import { RevocableSessions, type RevocableSessionsOptions } from '../../auth/revocable-sessions.js';
import type { Authenticator, Session } from '../../auth/session.js';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import { hashOf, newSecret, seal, unseal } from './sealed-token.js';
import type { SessionRecords, StoredSession } from './session-records.js';

/** The end of a session whose token has none. */
const MAX_SESSION_MS = 30 * 24 * 60 * 60 * 1_000;

export interface PageSessionsOptions extends Omit<RevocableSessionsOptions, 'existing'> {
  records: SessionRecords;
}

interface OpenedSession {
  id: string;
  secret: string;
  seconds: number;
  displaced: readonly string[];
}

export class PageSessions {
  readonly running: RevocableSessions;

  constructor(private readonly options: PageSessionsOptions) {
    this.running = new RevocableSessions({ ...options, existing: (ids) => options.records.existing(ids) });
  }

  /**
   * Also accepts sessions, from requests without a token. A request with an ended session has no credentials.
   * @returns an authenticator that otherwise behaves as `base`
   */
  accepting(base: Authenticator): Authenticator {
    return {
      ...base,
      authenticate: async (credentials) => {
        const { authorization, sessionSecret } = credentials;
        const session =
          authorization === null && sessionSecret != null ? await this.#resume(base, sessionSecret) : null;
        return session ?? base.authenticate(credentials);
      },
    };
  }

  /**
   * Opens a session for an authenticated token.
   * @returns the secret for the cookie, which is not stored, the seconds until the end, and the sessions that it displaced
   */
  async open(token: string, { viewer, expiresAt }: Session): Promise<OpenedSession> {
    const now = Date.now();
    const end = Math.min(Math.floor(expiresAt ?? Infinity), now + MAX_SESSION_MS);
    const [id, secret] = [newId(), newSecret()];
    const displaced = await this.options.records.add({
      id,
      userId: viewer.userId,
      accessTokenId: viewer.accessToken?.id ?? null,
      secretHash: hashOf(secret) ?? '',
      sealedToken: seal(token, secret),
      createdAt: now,
      expiresAt: end,
    });
    for (const each of displaced) this.running.revoke(each);
    return { id, secret, seconds: Math.floor((end - now) / 1_000), displaced };
  }

  /**
   * Ends the session of a secret.
   * @param everywhere also ends all sessions of its user; if an access token opened it, those of the token
   * @returns the ids of the ended sessions
   */
  async end(secret: string, everywhere: boolean): Promise<readonly string[]> {
    const { records } = this.options;
    const found = await this.#find(secret);
    if (found === null) return [];
    if (!everywhere) await records.remove(found.id);
    const ids = everywhere ? await records.removeAll(found) : [found.id];
    for (const id of ids) this.running.revoke(id);
    return ids;
  }

  async #find(secret: string): Promise<StoredSession | null> {
    const secretHash = hashOf(secret);
    const found = secretHash === null ? null : await this.options.records.byHash(secretHash);
    return found === null || found.expiresAt <= Date.now() ? null : found;
  }

  /** @returns null for a session that has ended, or whose token is no longer valid */
  async #resume(base: Authenticator, secret: string): Promise<Session | null> {
    try {
      const found = await this.#find(secret);
      if (found === null) return null;
      const authorization = `Bearer ${unseal(found.sealedToken, secret)}`;
      const session = await base.authenticate({ authorization, userId: null });
      const onRevoked = this.running.onRevoked(found.id);
      return {
        ...session,
        expiresAt: Math.min(session.expiresAt ?? Infinity, found.expiresAt),
        onRevoked: (end) => {
          const cancels = [onRevoked(end), session.onRevoked?.(end)];
          return () => cancels.forEach((cancel) => cancel?.());
        },
      };
    } catch (error) {
      if (error instanceof UnauthenticatedError) return null;
      if (error instanceof DatabaseUnavailableError) throw new AuthenticationUnavailableError({ cause: error });
      throw error;
    }
  }
}
