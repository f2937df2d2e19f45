/** The lines of the audit log: docs/operations.md describes the fields. No line contains texts, titles, queries or tokens. */
import type { AuditCaller, AuditedAccess, AuditedUser, AuditEvent, AuditResult } from '../../audit.js';

/** A line of the log, parsed. */
export interface AuditLine {
  readonly time: string;
  readonly event: AuditEvent;
  readonly result: AuditResult;
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly accessTokenId: string | null;
  readonly chatIds: readonly string[];
  readonly target: string | null;
  readonly field?: string;
  readonly route: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly address: string | null;
}

/** Chat ids of a line: those beyond are in further lines. */
export const MAX_CHAT_IDS = 100;

/** @returns the lines, each with a line break */
export function linesOf(access: AuditedAccess, user: AuditedUser, caller: AuditCaller, now = Date.now()): string[] {
  const { event, result, chatIds, target = null, field } = access;
  const lines: string[] = [];
  for (let start = 0; start === 0 || start < chatIds.length; start += MAX_CHAT_IDS) {
    const line: AuditLine = {
      time: new Date(now).toISOString(),
      event,
      result,
      userId: user.userId,
      isAdmin: user.isAdmin,
      accessTokenId: user.accessToken?.id ?? null,
      chatIds: chatIds.slice(start, start + MAX_CHAT_IDS),
      target,
      ...(field !== undefined && { field }),
      route: caller.route ?? '/graphql',
      requestId: caller.requestId,
      traceId: caller.parent?.traceId ?? null,
      address: caller.address,
    };
    lines.push(`${JSON.stringify(line)}\n`);
  }
  return lines;
}
