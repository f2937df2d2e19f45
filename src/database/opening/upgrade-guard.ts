import { DatabaseUnavailableError, RuleError, TimeoutError, UpgradeRequiredError } from '../../conversation/errors.js';
import type { Connection } from './connection.js';

/**
 * Errors without a relation to the schema. Reading the migrations would delay them while the database is unavailable.
 */
const OTHER_ERRORS = [RuleError, DatabaseUnavailableError, TimeoutError];
const OTHER_FAILURES = ['busy', 'duplicate', 'unavailable', 'timeout'];

/**
 * The same database, whose changes fail with UpgradeRequiredError after a newer version's breaking migration.
 * Migrations are read when a change fails, and for readiness.
 * @param breakingMigration the name of such a migration; null without one
 */
export function guardUpgrade(
  connection: Connection,
  breakingMigration: () => Promise<string | null>,
): { connection: Connection; isUpgradeRequired: () => Promise<boolean> } {
  let required: UpgradeRequiredError | null = null;
  const findBreaking = async (): Promise<UpgradeRequiredError | null> => {
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
        const hasOtherCause =
          OTHER_ERRORS.some((type) => error instanceof type) || OTHER_FAILURES.includes(connection.sql.failure(error));
        if (hasOtherCause) throw error;
        throw (await findBreaking().catch(() => null)) ?? error;
      }
    };
  const { write, remove } = connection;
  return {
    connection: { ...connection, write: guarded(write), ...(remove && { remove: guarded(remove) }) },
    isUpgradeRequired: async () => (await findBreaking()) !== null,
  };
}
