/** Sessions of pages: opened with a token, authenticated by the hash of the secret in a cookie. */
import { hash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { AuthenticationUnavailableError, UnauthenticatedError } from '../../auth/errors.js';
import { RevocableSessions, type RevocableSessionsOptions } from '../../auth/revocable-sessions.js';
import type { Authenticator, Session } from '../../auth/session.js';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import type { SessionRecords, StoredSession } from './session-records.js';

/** The end of a session whose token has none. */
export const MAX_SESSION_MS = 30 * 24 * 60 * 60 * 1_000;

const SECRET = /^[A-Za-z0-9_-]{43}$/;

export interface PageSessionsOptions extends Omit<RevocableSessionsOptions, 'existing'> {
  records: SessionRecords;
}

export class PageSessions {
  readonly running: RevocableSessions;

  constructor(private readonly options: PageSessionsOptions) {
    this.running = new RevocableSessions({ ...options, existing: (ids) => options.records.existing(ids) });
  }

  /**
   * Also accepts sessions, from requests without a token. A session that has ended counts as none.
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
   * Opens a session with the rights of an authenticated token, until its end.
   * @returns the secret for the cookie, which is not stored, and the seconds until the end
   */
  async open({ viewer, expiresAt }: Session): Promise<{ secret: string; seconds: number }> {
    const now = Date.now();
    const end = Math.min(expiresAt ?? Infinity, now + MAX_SESSION_MS);
    const secret = randomBytes(32).toString('base64url');
    const removed = await this.options.records.add({
      id: newId(),
      userId: viewer.userId,
      isAdmin: viewer.isAdmin,
      accessTokenId: viewer.accessToken?.id ?? null,
      secretHash: hash('sha256', secret),
      createdAt: now,
      expiresAt: end,
    });
    for (const id of removed) this.running.revoke(id);
    return { secret, seconds: Math.floor((end - now) / 1_000) };
  }

  /** Ends the session of a secret, or with it all of its user; only those of its access token if it has one. */
  async end(secret: string, everywhere: boolean): Promise<void> {
    const { records } = this.options;
    const found = await this.#find(secret);
    if (found === null) return;
    if (!everywhere) await records.remove(found.id);
    const ids = everywhere ? await records.removeAll(found.userId, found.accessTokenId) : [found.id];
    for (const id of ids) this.running.revoke(id);
  }

  async #find(secret: string): Promise<StoredSession | null> {
    // An invalid secret needs no read.
    const found = SECRET.test(secret) ? await this.options.records.byHash(hash('sha256', secret)) : null;
    return found === null || found.expiresAt <= Date.now() ? null : found;
  }

  async #resume(base: Authenticator, secret: string): Promise<Session | null> {
    try {
      const found = await this.#find(secret);
      return found === null ? null : await this.#sessionOf(found, base);
    } catch (error) {
      if (error instanceof UnauthenticatedError) return null;
      if (error instanceof DatabaseUnavailableError) throw new AuthenticationUnavailableError({ cause: error });
      throw error;
    }
  }

  async #sessionOf(
    { id, userId, isAdmin, accessTokenId, expiresAt }: StoredSession,
    base: Authenticator,
  ): Promise<Session> {
    const onRevoked = this.running.onRevoked(id);
    if (accessTokenId === null) return { viewer: { userId, isAdmin: Boolean(isAdmin) }, expiresAt, onRevoked };
    // The token decides on its rights.
    const accessToken = { id: accessTokenId, scope: 'READ', chatId: null } as const;
    const session = await base.confirm?.({ viewer: { userId, isAdmin: false, accessToken }, expiresAt });
    if (session === undefined) throw new UnauthenticatedError('The server has no access tokens', 'access token');
    return {
      ...session,
      expiresAt,
      onRevoked: (end) => {
        const cancels = [onRevoked(end), session.onRevoked?.(end)];
        return () => cancels.forEach((cancel) => cancel?.());
      },
    };
  }
}
