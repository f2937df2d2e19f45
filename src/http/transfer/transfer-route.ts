import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuditEvent } from '../../audit/audit-entry.js';
import type { AuditRecord } from '../../audit/audit-record.js';
import type { Session } from '../../auth/session.js';
import type { AccessScope } from '../../conversation/model.js';
import type { Transfer } from '../../limits/usage.js';

/** A request with its admitted session. */
export interface TransferCall {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  session: Session;
  /** Null when the audit log is off. */
  audit: AuditRecord | null;
}

export interface TransferRoute {
  methods: readonly string[];
  kind: Transfer;
  /** Required of an access token. */
  scope: AccessScope;
  /** Recorded when the request is refused. */
  event?: AuditEvent;
  answer(call: TransferCall): Promise<void>;
  /** The session of a request whose URL carries its rights. Null: the request must authenticate. */
  signedSession?(url: URL): Session | null;
}
