import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Parley } from '../../support/server/parley.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

export interface AuditLine {
  time: string;
  event: string;
  result: string;
  userId: string;
  isAdmin: boolean;
  accessTokenId: string | null;
  chatIds: string[];
  target: string | null;
  field?: string;
  route: string;
  requestId: string;
  traceId: string | null;
  address: string | null;
}

/** The path of an audit log, and a reader of its lines, which are complete once the server has stopped. */
export function auditFile(): { auditLog: string; text: () => string; lines: () => AuditLine[] } {
  const auditLog = join(temporaryFolder(), 'audit.jsonl');
  const text = () => readFileSync(auditLog, 'utf8');
  const lines = () =>
    text()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditLine);
  return { auditLog, text, lines };
}

/** The same server; its requests have an id. */
export function withRequestId(parley: Parley, requestId: string): Parley {
  return { ...parley, post: (body, headers) => parley.post(body, { ...headers, 'x-request-id': requestId }) };
}

/** Calls that have no chat, and their events. */
const WITHOUT_CHAT: Record<string, string[]> = {
  'Mutation.appendToDraft': [],
  'Mutation.createAccessToken': ['access_token.created'],
  'Mutation.liftLegalHold': [],
  'Mutation.replayWebhookDeliveries': [],
  'Mutation.revokeAccessToken': ['access_token.revoked'],
  'Mutation.revokeShare': ['share.revoked'],
  'Mutation.setLegalHold': [],
  'Mutation.setRetention': ['retention.set'],
  'Mutation.setStorageQuota': [],
  'Query.monthlyUsage': [],
  'Subscription.chatChanges': ['chats.followed'],
};

/** @returns whether the lines of a call of a field are those that it must have */
export function isRecorded(field: string, chatId: string, lines: readonly AuditLine[]): boolean {
  const events = WITHOUT_CHAT[field];
  const done = lines.filter(({ result }) => result === 'ok');
  if (events !== undefined) return done.map(({ event }) => event).join() === events.join();
  return done.some(({ chatIds }) => chatIds.some((id) => id.startsWith(chatId)));
}
