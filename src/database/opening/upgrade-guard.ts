import { RuleError, UpgradeRequiredError } from '../../conversation/errors.js';
import type { Connection } from './connection.js';

/** Failures that a newer schema cannot cause. */
const OTHER_CAUSES = ['busy', 'duplicate', 'unavailable', 'timeout'];

/**
 * The same database, whose changes fail with UpgradeRequiredError once a newer version has migrated it so that this version cannot
 * write to it. It reads the applied migrations when a change fails, and for readiness.
 * @param breakingMigration the name of such a migration; null without one
 */
export function guardUpgrade(
  connection: Connection,
  breakingMigration: () => Promise<string | null>,
): { connection: Connection; isUpgradeRequired: () => Promise<boolean> } {
  let required: UpgradeRequiredError | null = null;
  const look = async (): Promise<UpgradeRequiredError | null> => {
    const name = await breakingMigration();
    return (required = name === null ? null : new UpgradeRequiredError(name));
  };
  const guarded =
    (change: Connection['write']): Connection['write'] =>
    async (...asked) => {
      if (required !== null) throw required;
      try {
        return await change(...asked);
      } catch (error) {
        if (error instanceof RuleError || OTHER_CAUSES.includes(connection.sql.failure(error))) throw error;
        throw (await look().catch(() => null)) ?? error;
      }
    };
  const { write, remove } = connection;
  return {
    connection: { ...connection, write: guarded(write), ...(remove && { remove: guarded(remove) }) },
    isUpgradeRequired: async () => (await look()) !== null,
  };
}
