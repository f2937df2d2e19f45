/** Whether Citus accepts the statements of the distributed form. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresqlInShards } from '../../../src/database/dialects/postgresql/postgresql.js';
import { postgresqlSettings } from '../../../src/database/opening/connections/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/opening/database-url.js';
import { keyedStatements } from '../../support/database/keyed-statements.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

let database: TemporaryDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await temporaryDatabase();
  client = new pg.Client(postgresqlSettings(parseDatabaseUrl(database.url) as ServerUrl));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.remove();
});

const statements = Object.entries(keyedStatements(postgresqlInShards));

/** Of PostgreSQL: feature not supported. */
const REFUSED = '0A000';

// With made-up ids: a key may refuse the rows, and a transaction is rolled back.
it.each(statements)('%s', async (_, forms) => {
  for (const { text, values } of forms) {
    await client.query('BEGIN');
    const error: unknown = await client.query(text, [...values]).catch((reason: unknown) => reason);
    await client.query('ROLLBACK');
    expect(error).not.toMatchObject({ code: REFUSED });
  }
});
