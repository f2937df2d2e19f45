/** The audit log: see docs/operations.md. */
import type { Registry } from 'prom-client';
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { readCounter, readGauge } from '../../system/read-metrics.js';
import { AuditLog } from './audit-log.js';
import { withAudit } from './audited-schema.js';
import type { auditSettings } from './settings.js';

function readCounts(auditLog: AuditLog, registry: Registry): void {
  const [lost, waits] = ['Lines of the audit log that could not be written.', 'Lines of the audit log that wait.'];
  readCounter(registry, 'parley_audit_lines_total', 'Written lines of the audit log.', () => auditLog.counts.written);
  readCounter(registry, 'parley_audit_lost_lines_total', lost, () => auditLog.counts.lost);
  readGauge(registry, 'parley_audit_waiting_lines', waits, () => auditLog.counts.waiting);
}

export const audit: Feature<ValuesOf<typeof auditSettings>> = {
  wrapSchema: withAudit,
  openAuditor: async ({ auditLog: target, auditEndpoint: endpoint }, { serviceName, log, registry }) => {
    if (target === undefined) return null;
    const auditLog = await AuditLog.open({ target, endpoint, serviceName, log });
    if (registry !== undefined) readCounts(auditLog, registry);
    return auditLog;
  },
};
