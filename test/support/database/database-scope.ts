/** Databases that hooks open and remove. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { temporaryDatabase, type TemporaryDatabase } from './temporary-database.js';

function databaseWithin(before: typeof beforeEach | typeof beforeAll, after: typeof afterEach | typeof afterAll) {
  let current: TemporaryDatabase;
  before(async () => {
    current = await temporaryDatabase();
  });
  after(() => current.remove());
  return new Proxy({} as TemporaryDatabase, { get: (_, name) => Reflect.get(current, name) as unknown });
}

/** A new database for each test. */
export const databaseForEach = () => databaseWithin(beforeEach, afterEach);

/** A database that the tests of a file or a suite share. */
export const databaseForAll = () => databaseWithin(beforeAll, afterAll);
