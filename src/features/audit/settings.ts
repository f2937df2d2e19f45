/** The settings of the audit log. */
import { z } from 'zod';
import { collectorUrl, setting } from '../../settings/declare-setting.js';
import type { CoreValues, Fault, Reader } from '../../settings/read-environment.js';

/** A name without a slash is probably a mistake. */
function isAuditTarget(target: string): boolean {
  return ['off', 'stdout', 'stderr', 'otlp'].includes(target) || /[/\\]/.test(target);
}

export const auditSettings = {
  /** Where the audit log is written: `stdout`, `stderr`, `otlp` or the path of a file. Without it, the log is off. */
  auditLog: setting(
    'AUDIT_LOG',
    z
      .string()
      .refine(isAuditTarget, 'must be off, stdout, stderr, otlp, or the path of a file with a /')
      .transform((target) => (target === 'off' ? undefined : target)),
    { shown: 'off' },
  ).means(
    'Where accesses are recorded: `stdout`, `stderr`, `otlp`, or the path of a file, with a `/`: see [Audit log](#audit-log)',
  ),
  /** URL to which the audit log `otlp` is sent, by OTLP/HTTP, such as http://127.0.0.1:4318/v1/logs. */
  auditEndpoint: setting('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', collectorUrl).means(
    'The whole URL for the audit log `otlp`: by default `OTEL_EXPORTER_OTLP_ENDPOINT` and `/v1/logs`',
  ),
};

function endpointOf(read: Reader, { traceEndpoint }: CoreValues): string | undefined {
  const { auditLog, auditEndpoint } = read(auditSettings);
  if (auditLog !== 'otlp') return undefined;
  return auditEndpoint ?? (traceEndpoint && `${traceEndpoint.replace(/\/$/, '')}/v1/logs`);
}

/** The endpoint is by default that of the collector of traces. */
export const auditRules = {
  faultsOf: (read: Reader, core: CoreValues): Fault[] => {
    if (read(auditSettings).auditLog !== 'otlp' || endpointOf(read, core) !== undefined) return [];
    const message = 'or OTEL_EXPORTER_OTLP_ENDPOINT must be set for AUDIT_LOG=otlp';
    return [{ variable: 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', message }];
  },
  optionsOf: (read: Reader, core: CoreValues): object => ({ auditEndpoint: endpointOf(read, core) }),
};
