/** Retention: chats are deleted some days after their last change, by the server's setting and by that of their owner. */
import { checkOptionalName, DAY_MS } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import { onlyChatOf } from '../../conversation/access/ownership.js';
import type { FeatureReads } from '../../conversation/reads.js';
import type { Row } from '../../conversation/tables.js';
import type { Rows } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import { replaceRow } from '../../database/connection/retry-duplicate.js';
import { retentionStatements } from './statements.js';

/** The actor of deletions by retention. */
export const RETENTION_ACTOR = 'retention';

/** Days of the longest retention. */
export const MAX_RETENTION_DAYS = 36_500;

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** Days of the user's own retention; null without one. */
    ownRetentionDays(userId: string): Promise<number | null>;
  }
}

export interface Retention {
  /** The setting of the user; null without one. */
  readonly ownDays: number | null;
  /** The setting of the server; null without one. */
  readonly serverDays: number | null;
}

export class UserRetentions {
  readonly sql: ReturnType<typeof retentionStatements>;

  /** @param serverDays days after the last change of a chat until it is deleted; null without a setting of the server */
  constructor(
    private readonly connection: Pick<Connection, 'sql' | 'read' | 'write'>,
    readonly serverDays: number | null,
  ) {
    this.sql = retentionStatements(connection.sql.differences);
  }

  get read(): Connection['read'] {
    return this.connection.read;
  }

  /** The reads of an operation. */
  readonly reads = (db: Rows): Pick<FeatureReads, 'ownRetentionDays'> => ({
    ownRetentionDays: async (userId) => {
      const [row] = await db.rows<Pick<Row<'user_retention'>, 'days'>>(this.sql.retentionOf(userId));
      return row?.days ?? null;
    },
  });

  /** Sets the days of a user; null removes them. */
  set(userId: string, days: number | null): Promise<void> {
    return replaceRow(this.connection, `retention ${userId}`, {
      remove: this.sql.deleteRetentionOf(userId),
      insert: days === null ? null : this.sql.insertRetentions([{ userId, days }]),
    });
  }
}

/** The days of RETENTION_DAYS; null keeps chats. */
export function daysOf(setting: number): number | null {
  return setting === 0 ? null : setting;
}

/** A chat whose retention has ended. */
export interface ExpiredChat extends Pick<Chat, 'id' | 'userId' | 'updatedAt'> {
  /** The days of the retention that applies. */
  readonly days: number;
}

/** The shorter of both: a user can only shorten the retention of the server. Null keeps chats. */
export function retentionDays({ ownDays, serverDays }: Retention): number | null {
  if (ownDays === null || serverDays === null) return ownDays ?? serverDays;
  return Math.min(ownDays, serverDays);
}

/** Whether the retention of a chat has ended. */
export function isExpired({ updatedAt }: Pick<Chat, 'updatedAt'>, days: number, now: number): boolean {
  return updatedAt < now - days * DAY_MS;
}

/**
 * Sets the retention of the viewer's chats; admins set that of any user.
 * @param request.days null removes it
 * @throws InvalidInputError
 */
export async function setRetention(
  retentions: UserRetentions,
  viewer: Viewer,
  request: { days?: number | null | undefined; userId?: string | null | undefined },
): Promise<{ userId: string; retention: Retention }> {
  const userId = checkOptionalName(request.userId, 'userId') ?? viewer.userId;
  if (userId !== viewer.userId && !viewer.isAdmin) {
    throw new InvalidInputError('userId: only an admin may set the retention of another user', 'userId');
  }
  if (onlyChatOf(viewer) !== null) {
    throw new InvalidInputError('An access token for one chat cannot set the retention of the user', null);
  }
  const { days: ownDays = null } = request;
  if (ownDays !== null && !(Number.isInteger(ownDays) && ownDays >= 1 && ownDays <= MAX_RETENTION_DAYS)) {
    throw new InvalidInputError(`days must be 1 to ${MAX_RETENTION_DAYS}, not ${ownDays}`, 'days');
  }
  await retentions.set(userId, ownDays);
  return { userId, retention: { ownDays, serverDays: retentions.serverDays } };
}
