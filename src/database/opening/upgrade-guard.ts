import { DatabaseUnavailableError, RuleError, TimeoutError, UpgradeRequiredError } from '../../conversation/errors.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Step } from '../connection/pipeline.js';

/**
 * Errors without a relation to the schema. Reading the migrations would delay them while the database is unavailable.
 */
const OTHER_ERRORS = [RuleError, DatabaseUnavailableError, TimeoutError];
const OTHER_FAILURES = ['busy', 'duplicate', 'unavailable', 'timeout'];

/**
 * Changes fail with UpgradeRequiredError after a newer version's breaking migration. Migrations are read when a change
 * fails, and for readiness.
 */
export class UpgradeGuard {
  #required: UpgradeRequiredError | null = null;

  /** @param breakingMigration the name of such a migration; null without one */
  constructor(
    private readonly sql: Dialect,
    private readonly breakingMigration: () => Promise<string | null>,
  ) {}

  readonly step: Step = (next) => async (job) => {
    if (this.#required !== null) throw this.#required;
    try {
      return await next(job);
    } catch (error) {
      const hasOtherCause =
        OTHER_ERRORS.some((type) => error instanceof type) || OTHER_FAILURES.includes(this.sql.failure(error));
      if (hasOtherCause) throw error;
      throw (await this.#findBreaking().catch(() => null)) ?? error;
    }
  };

  async isUpgradeRequired(): Promise<boolean> {
    return (await this.#findBreaking()) !== null;
  }

  async #findBreaking(): Promise<UpgradeRequiredError | null> {
    const name = await this.breakingMigration();
    return (this.#required = name === null ? null : new UpgradeRequiredError(name));
  }
}
