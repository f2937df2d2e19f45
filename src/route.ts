/** A route beside GraphQL, whose requests authenticate and count as those of /graphql do. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuditEvent, AuditRecord } from './audit.js';
import type { Session } from './auth/session.js';
import type { AccessScope } from './conversation/model.js';
import type { TransferSlots } from './limits/transfer-slots.js';

export interface RouteCall {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  session: Session;
  /** Null when the audit log is off. */
  audit: AuditRecord | null;
}

export interface Route {
  methods: readonly string[];
  slots: TransferSlots;
  /** Required of an access token. */
  scope: AccessScope;
  /** The same for another method than the first one. */
  ofMethod?: Readonly<Record<string, Pick<Route, 'slots' | 'scope'>>>;
  /** Recorded when the request is refused. */
  event?: AuditEvent;
  answer(call: RouteCall): Promise<void>;
  /** Set if pages of the server may use it with their session: see docs/access/sessions.md. */
  isForPages?: true;
  /** Whether a POST request takes the time limits of uploads. */
  isUpload?: true;
  /** The session of a request whose URL carries its rights. Null: the request must authenticate. */
  signedSession?(url: URL): Session | null;
  /** Settles when all its answers have ended. Called after their clients are disconnected. */
  close?(): Promise<void>;
}

/** A route that decides itself which clients it answers. */
export interface OpenRoute {
  /** @returns whether it answered: the answer is 404 otherwise */
  open(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}
