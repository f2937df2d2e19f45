import { withHooks } from '../../../src/database/change-hooks.js';
import type { Connection } from '../../../src/database/connection/connection.js';
import { recoverable } from '../../../src/features/deletion/recovery.js';

const DAY_MS = 24 * 60 * 60_000;

/** The connection of a server with this RECOVERY_DAYS. */
export function withRecovery<C extends Connection>(connection: C, days = 7): C {
  return withHooks(connection, [...connection.scope.hooks, recoverable(connection, days * DAY_MS)]);
}
