import type { AuditRecord } from '../audit.js';
import { openAuditor } from '../features/all-features.js';
import type { Config } from '../config.js';
import { LOCAL_ADMIN } from '../conversation/members/ownership.js';
import type { Terminal } from './terminal.js';

/**
 * Runs a command that accesses chats, with its record in the audit log.
 * @param work gets null when the log is off
 */
export async function withAudit<T>(
  config: Config,
  command: string,
  terminal: Terminal,
  work: (audit: AuditRecord | null) => Promise<T>,
): Promise<T> {
  const auditor = await openAuditor(config, { serviceName: config.serviceName, log: (line) => terminal.error(line) });
  if (auditor === null) return work(null);
  const record = auditor.begin(LOCAL_ADMIN, { requestId: null, address: null, route: `parley ${command}` });
  try {
    return await work(record);
  } finally {
    record.end();
    await auditor.close();
  }
}
