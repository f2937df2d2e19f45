/** Opens and ends sessions on behalf of requests, and records both in the audit log. */
import type { IncomingMessage } from 'node:http';
import type { AuditEvent } from '../../audit.js';
import type { Session } from '../../auth/session.js';
import type { RouteServices } from '../../feature.js';
import type { PageSessions } from './page-sessions.js';

export interface SignIn {
  userId: string;
  /** For the cookie. */
  secret: string;
  seconds: number;
}

export class RecordedSessions {
  constructor(
    private readonly sessions: PageSessions,
    private readonly services: Pick<RouteServices, 'admit' | 'beginAudit'>,
  ) {}

  /**
   * Opens a session with a token, which is verified as that of any request.
   * @param earlier the secret of the session that the browser had before, which ends
   * @throws GraphQLError for a token that the server does not accept
   */
  async open(token: string, earlier: string | null, request: IncomingMessage): Promise<SignIn> {
    const session = await this.services.admit({ authorization: `Bearer ${token}`, userId: null }, request);
    const { id, secret, seconds, displaced } = await this.sessions.open(token, session);
    this.#record(session, request, 'session.opened', [id]);
    const ended = earlier === null ? [] : await this.sessions.end(earlier, false);
    this.#record(session, request, 'session.ended', [...displaced, ...ended]);
    return { userId: session.viewer.userId, secret, seconds };
  }

  /** @param everywhere also ends the other sessions of the user: see PageSessions */
  async end(secret: string, everywhere: boolean, session: Session, request: IncomingMessage): Promise<void> {
    this.#record(session, request, 'session.ended', await this.sessions.end(secret, everywhere));
  }

  #record(session: Session, request: IncomingMessage, event: AuditEvent, ids: readonly string[]): void {
    const record = this.services.beginAudit(session, request);
    for (const target of ids) record?.done({ event, chatIds: [], target });
    record?.end();
  }
}
