import { AuditLog } from '../audit/audit-log.js';
import type { AuditRecord } from '../audit/audit-record.js';
import type { Config } from '../config.js';
import { LOCAL_ADMIN } from '../conversation/members/ownership.js';
import type { Terminal } from './terminal.js';

/**
 * Runs a command that accesses chats, with its record in the audit log.
 * @param work gets null when the log is off
 */
export async function withAudit<T>(
  {
    auditLog: target,
    auditEndpoint: endpoint,
    serviceName,
  }: Pick<Config, 'auditLog' | 'auditEndpoint' | 'serviceName'>,
  command: string,
  terminal: Terminal,
  work: (audit: AuditRecord | null) => Promise<T>,
): Promise<T> {
  if (target === undefined) return work(null);
  const log = await AuditLog.open({ target, endpoint, serviceName, log: (line) => terminal.error(line) });
  const record = log.begin(LOCAL_ADMIN, { requestId: null, address: null, route: `parley ${command}` });
  try {
    return await work(record);
  } finally {
    record.end();
    await log.close();
  }
}
