/** Vitest's global setup of a project that needs a database server: begins with its first test file, if there is one. */
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { startPostgresql } from './embedded-postgresql.js';
import { dropSchema, schemasBeginningWith } from './test-schema.js';

/** Who writes these names the server that runs already: its database is used, and left as it was. */
export const GIVEN_URL = { postgresql: 'TEST_POSTGRES_URL', sqlserver: 'TEST_SQLSERVER_URL' } as const;

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const kind = project.getProvidedContext().databaseKind;
  if (kind === 'sqlite' || kind === 'memory') return undefined;
  const given = process.env[GIVEN_URL[kind]];
  const own = given === undefined ? await startPostgresql() : null;
  const serverUrl = given ?? own?.url ?? '';
  const schemaPrefix = `test_${randomBytes(3).toString('hex')}_`;
  // Whatever is wrong with the URL is told once, and not by every test.
  await schemasBeginningWith(schemaPrefix, serverUrl);
  project.provide('serverUrl', serverUrl);
  project.provide('schemaPrefix', schemaPrefix);
  return async () => {
    if (own !== null) return own.remove();
    // Of tests whose process has ended before them.
    for (const schema of await schemasBeginningWith(schemaPrefix, serverUrl)) await dropSchema(schema, serverUrl);
  };
}
