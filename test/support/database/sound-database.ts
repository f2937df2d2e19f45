import { expect } from 'vitest';
import { checkDatabase } from '../../../src/database/checking/check-database.js';
import { connect } from '../../../src/database/opening/open.js';

/** Expects that `npm run check` has no findings. The content of a database in memory is not visible from here. */
export async function expectSoundDatabase(url: string): Promise<void> {
  const { connection } = await connect(url, { migrate: false, isReadOnly: true });
  const report = await checkDatabase(connection);
  await connection.close();
  expect(report.problems()).toEqual([]);
}
