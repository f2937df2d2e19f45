/** Authenticates access tokens by their hash, with one read per request, and ends the sessions of revoked ones. */
import { hash } from 'node:crypto';
import type { AccessToken, AccessTokenRecords } from './token-records.js';
import { highestScope } from '../../conversation/access/access-scopes.js';
import { ACCESS_TOKEN_PREFIX, revokeAccessToken, scopesOf } from './access-tokens.js';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import type { Viewer } from '../../conversation/model.js';
import { AuthenticationUnavailableError, UnauthenticatedError } from '../../auth/errors.js';
import type { Authenticator, Session } from '../../auth/session.js';
import { RevocableSessions, type RevocableSessionsOptions } from '../../auth/revocable-sessions.js';

/** Uses within this time of the recorded one are not recorded. */
const USE_RESOLUTION_MS = 60_000;

const BEARER = new RegExp(`^Bearer +(${ACCESS_TOKEN_PREFIX}.*)$`, 'i');
const TOKEN = new RegExp(`^${ACCESS_TOKEN_PREFIX}[A-Za-z0-9_-]{43}$`);

export interface TokenSessionsOptions extends Omit<RevocableSessionsOptions, 'existing'> {
  records: AccessTokenRecords;
}

export class TokenSessions {
  readonly running: RevocableSessions;
  /** Tokens whose use is being recorded. */
  readonly #noting = new Set<string>();

  constructor(private readonly options: TokenSessionsOptions) {
    this.running = new RevocableSessions({ ...options, existing: (ids) => this.records.byIds(ids) });
  }

  get records(): AccessTokenRecords {
    return this.options.records;
  }

  /**
   * Also accepts access tokens, in development mode too.
   * @returns an authenticator that otherwise behaves as `base`
   */
  accepting(base: Authenticator): Authenticator {
    return {
      isDevelopment: base.isDevelopment,
      authenticate: async (credentials) => {
        const token = BEARER.exec(credentials.authorization ?? '')?.[1];
        return token === undefined ? base.authenticate(credentials) : this.#authenticate(token);
      },
      confirm: (session) => this.#confirm(session),
      checkKeys: () => base.checkKeys(),
    };
  }

  /** @throws NotFoundError */
  async revoke(viewer: Viewer, id: string): Promise<void> {
    await revokeAccessToken(this.records, viewer, id);
    this.running.revoke(id);
  }

  async #authenticate(token: string): Promise<Session> {
    // An invalid token needs no read.
    const found = TOKEN.test(token) ? await this.#read(() => this.records.byHash(hash('sha256', token))) : null;
    if (found === null || this.#hasExpired(found)) throw refusal();
    this.#noteUse(found);
    return this.#sessionOf(found);
  }

  async #confirm({ viewer: { accessToken } }: Session): Promise<void> {
    if (accessToken === undefined) return;
    const [found] = await this.#read(() => this.records.byIds([accessToken.id]));
    // Its expiry ends the session by a timer.
    if (found === undefined) {
      this.running.end(accessToken.id);
      throw refusal();
    }
    this.#noteUse(found);
  }

  #sessionOf({ id, userId, chatId, expiresAt, ...token }: AccessToken): Session {
    const accessToken = { id, scope: highestScope(scopesOf(token)), chatId };
    return {
      viewer: { userId, isAdmin: false, accessToken },
      expiresAt,
      onRevoked: this.running.onRevoked(id),
    };
  }

  #hasExpired({ expiresAt }: AccessToken): boolean {
    return expiresAt !== null && expiresAt <= Date.now();
  }

  /** Not awaited: a request must not wait for a write. */
  #noteUse({ id, lastUsedAt }: AccessToken): void {
    const now = Date.now();
    const before = now - USE_RESOLUTION_MS;
    if ((lastUsedAt !== null && lastUsedAt > before) || this.#noting.has(id)) return;
    this.#noting.add(id);
    this.records
      .noteUse(id, now, before)
      .catch(this.options.onError)
      .finally(() => this.#noting.delete(id));
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw new AuthenticationUnavailableError({ cause: error });
      throw error;
    }
  }
}

/** The same for unknown, revoked, expired and malformed tokens, and as for an invalid JSON Web Token. */
function refusal(): UnauthenticatedError {
  return new UnauthenticatedError('The token is not one that this server accepts', 'access token');
}
