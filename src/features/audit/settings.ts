/** The settings of the audit log. */
import { z } from 'zod';
import { collectorUrl, setting } from '../../settings/declare-setting.js';
import type { Fault } from '../../settings/read-environment.js';
import type { ValuesOf } from '../../settings/setting.js';

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

type Endpoints = ValuesOf<typeof auditSettings> & { traceEndpoint: string | undefined };

export function auditFaults(settings: Endpoints): Fault[] {
  if (settings.auditLog !== 'otlp' || auditEndpointOf(settings) !== undefined) return [];
  const message = 'or OTEL_EXPORTER_OTLP_ENDPOINT must be set for AUDIT_LOG=otlp';
  return [{ variable: 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', message }];
}

/** By default that of the collector of traces. */
export function auditEndpointOf({ auditLog, auditEndpoint, traceEndpoint }: Endpoints): string | undefined {
  if (auditLog !== 'otlp') return undefined;
  return auditEndpoint ?? (traceEndpoint && `${traceEndpoint.replace(/\/$/, '')}/v1/logs`);
}
