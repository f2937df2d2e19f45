/** Vitest's global setup of a project that needs a database server: starts it before its first test file, if any. */
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { startPostgresql, type EmbeddedPostgresql } from './embedded-postgresql.js';
import { dropSchema, schemasBeginningWith } from './test-schema.js';

/** These variables name a running server: its database is used and left unchanged. */
export const GIVEN_URL = { postgresql: 'TEST_POSTGRES_URL', sqlserver: 'TEST_SQLSERVER_URL' } as const;

/** This variable, with `true`, makes the servers of tests on the embedded PostgreSQL read from a standby of it. */
export const REPLICATED = 'TEST_REPLICATED';

/** Each commit waits until the standby has replayed it, so that the standby runs every read that it may run. */
const SYNCHRONOUS = [
  'fsync=off',
  'full_page_writes=off',
  'max_connections=300',
  'synchronous_standby_names=*',
  'synchronous_commit=remote_apply',
];

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { databaseKind: kind, distributedForm } = project.getProvidedContext();
  if (kind === 'sqlite' || kind === 'memory') return undefined;
  const given = process.env[distributedForm === 'citus' ? 'TEST_CITUS_URL' : GIVEN_URL[kind]];
  const isReplicated = kind === 'postgresql' && process.env[REPLICATED] === 'true';
  const own = given === undefined ? await startPostgresql(isReplicated ? SYNCHRONOUS : undefined) : null;
  const standby: EmbeddedPostgresql | undefined = isReplicated ? await own?.startStandby() : undefined;
  project.provide('readUrl', standby?.url ?? '');
  const serverUrl = given ?? own?.url ?? '';
  const schemaPrefix = `test_${randomBytes(3).toString('hex')}_`;
  // An error of the URL is reported once, not by every test.
  await schemasBeginningWith(schemaPrefix, serverUrl);
  project.provide('serverUrl', serverUrl);
  project.provide('schemaPrefix', schemaPrefix);
  return async () => {
    await standby?.remove();
    if (own !== null) return own.remove();
    // Schemas of killed test processes.
    for (const schema of await schemasBeginningWith(schemaPrefix, serverUrl)) await dropSchema(schema, serverUrl);
  };
}
