/** The built server on PostgreSQL, in an installation without better-sqlite3. */
import { expect, it } from 'vitest';
import { startServer } from '../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { graphql } from '../generated/graphql/gql.js';
import { install } from './installation.js';

const Viewer = graphql(`
  query ViewerWithoutSqlite {
    viewer {
      userId
    }
  }
`);

it('starts, answers, imports and stops', async () => {
  const folder = temporaryFolder();
  install(folder, 'better-sqlite3');
  const settings = { DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true' } as const;
  const server = await startServer(settings, {}, undefined, folder);
  expect(await server.run(Viewer, {})).toEqual({ viewer: { userId: 'local' } });
  const headers = { 'content-type': 'application/json' };
  const body = '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}';
  const imported = await fetch(new URL('/import', server.url), { method: 'POST', headers, body });
  expect([imported.status, await imported.text()]).toEqual([200, expect.stringContaining('"imported":1')]);
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
});
