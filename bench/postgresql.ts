/** A PostgreSQL to measure on, from npm, with the settings that it comes with; and what is measured on no other. */
import pg from 'pg';
import { openDatabase } from '../src/database/opening/open.js';
import { startPostgresql } from '../test/support/embedded-postgresql.js';
import { chainQuery, chainSql } from './chains.js';
import { writeChain } from './fixture.js';
import { medians } from './measure.js';
import { ratioOf, type Ratio } from './report.js';
import { withServer } from './server.js';

/** None of the settings with which tests are in a hurry. */
const AS_IT_COMES: readonly string[] = [];

/** Runs a server, and what needs one. @param work is given a database's URL, to which a schema may be added */
export async function* withPostgresql(work: (url: string) => AsyncGenerator<Ratio>): AsyncGenerator<Ratio> {
  const server = await startPostgresql(AS_IT_COMES);
  try {
    yield* work(server.url);
  } finally {
    await server.remove();
  }
}

/** Branch.chain of 1,000 messages through HTTP, against the bare driver and JSON.stringify. */
export async function* measurePostgresqlChain(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'chain1000', 1_000);
  await store.close();
  const driver = new pg.Client(url);
  await driver.connect();
  let times = { driver: 0, parley: 0 };
  await withServer(url, async (post) => {
    times = await medians(
      {
        driver: async () => JSON.stringify((await driver.query(chainSql('$1'), ['chain1000-999'])).rows),
        parley: () => post(chainQuery('chain1000')),
      },
      60,
    );
  });
  await driver.end();
  yield ratioOf('PostgreSQL: Branch.chain of 1,000 against the driver', times.parley, times.driver, 2.5);
}
