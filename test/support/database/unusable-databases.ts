/** PostgreSQL databases that cannot be used, each for a different reason. */
import { inject, onTestFinished } from 'vitest';
import { freePort } from '../server/free-port.js';
import { rawDatabase, type RawDatabase } from './raw-database.js';
import { temporaryDatabaseUrl } from './temporary-database.js';

export const PASSWORD = 'do-not-tell';

export interface Unusable {
  url: string;
  /** The reason, which follows the database name in the error. */
  reason: string;
}

/** Databases that cannot be opened, by reason. */
export const unreachableDatabases: Record<string, () => Promise<Unusable>> = {
  async 'on a server that is not running'() {
    const port = await freePort();
    return {
      url: withPart({ hostname: '127.0.0.1', port: String(port) }),
      reason: `connect ECONNREFUSED 127.0.0.1:${port}`,
    };
  },
  'with a wrong password': async () => ({
    url: withPart({ password: PASSWORD }),
    reason: `password authentication failed for user "${new URL(inject('serverUrl')).username}"`,
  }),
  'of a missing user': async () => ({
    url: withPart({ username: 'nobody_here', password: PASSWORD }),
    reason: 'password authentication failed for user "nobody_here"',
  }),
  'that is not there': async () => ({
    url: withPart({ pathname: '/nothing_here' }),
    reason: 'database "nothing_here" does not exist',
  }),
};

/** Databases that cannot be migrated. */
export const immutableDatabases: Record<string, () => Promise<Unusable>> = {
  async 'in which the user cannot create a schema'() {
    const url = temporaryDatabaseUrl();
    const { pathname } = new URL(url);
    return { url: (await userOf(url)).url, reason: `permission denied for database ${pathname.slice(1)}` };
  },
  async 'in which the user cannot create a table'() {
    const url = temporaryDatabaseUrl();
    const schema = new URL(url).searchParams.get('schema')!;
    const { url: own, name, admin } = await userOf(url);
    await admin.run(`CREATE SCHEMA "${schema}"; GRANT USAGE ON SCHEMA "${schema}" TO "${name}"`);
    return { url: own, reason: `permission denied for schema ${schema}` };
  },
};

/** The URL of the test server with other parts. */
function withPart(parts: Partial<Pick<URL, 'hostname' | 'port' | 'username' | 'password' | 'pathname'>>): string {
  return Object.assign(new URL(inject('serverUrl')), parts).href;
}

/** A user without rights on a database, removed at the end of the test. */
export async function userOf(url: string): Promise<{ url: string; name: string; admin: RawDatabase }> {
  const name = `user_${new URL(url).searchParams.get('schema')}`;
  const admin = await rawDatabase(url);
  await admin.run(`CREATE ROLE "${name}" LOGIN PASSWORD '${PASSWORD}'`);
  onTestFinished(() => admin.run(`DROP OWNED BY "${name}"; DROP ROLE "${name}"`));
  return { url: Object.assign(new URL(url), { username: name, password: PASSWORD }).href, name, admin };
}
