import { expect } from 'vitest';
import { checkDatabase } from '../../../src/features/maintenance/checking/check-database.js';
import { ALL_CHECKS } from '../../../src/features/all-features.js';
import { connect } from '../../../src/database/opening/open.js';

/** Expects no findings of `npm run check`. It opens another connection, which cannot see a database in memory. */
export async function expectSoundDatabase(url: string): Promise<void> {
  const { connection } = await connect(url, { migrate: false, isReadOnly: true });
  const report = await checkDatabase(connection, ALL_CHECKS);
  await connection.close();
  expect(report.problems()).toEqual([]);
}
