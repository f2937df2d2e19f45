/** The distributed form of PostgreSQL schemas: see docs/scale.md. It loads its statements with a database that has it. */
import type { DatabaseUrl, ServerUrl } from '../../database/connection/database-url.js';
import type { SchemaForm } from '../../database/connection/schema-form.js';
import { CITUS_SETTINGS, SEQUENTIAL_OPTION } from './citus-settings.js';

export const citusForm: SchemaForm = {
  async open(pool, committing) {
    // A later version has added user_chats.
    const { rows } = await pool.query<{ hasDirectory: boolean; hasUserChats: boolean }>(`
      SELECT to_regclass('id_directory') IS NOT NULL AS "hasDirectory", to_regclass('user_chats') IS NOT NULL AS "hasUserChats"`);
    if (rows[0]?.hasDirectory !== true) return null;
    const [{ IdDirectory }, { UserChatTable }, { postgresqlInShards }, { missingShards }] = await Promise.all([
      import('./id-directory.js'),
      import('./user-chats.js'),
      import('./in-shards.js'),
      import('./missing-shards.js'),
    ]);
    const lists = rows[0].hasUserChats ? new UserChatTable(committing) : undefined;
    await lists?.refresh();
    return {
      sql: postgresqlInShards(lists),
      directory: new IdDirectory(committing),
      lists,
      sessionOptions: SEQUENTIAL_OPTION,
      problems: missingShards,
    };
  },
  settings: CITUS_SETTINGS,
  migrated: async (client, schema) => (await import('./distribute.js')).distributeNewTables(client, schema),
  tables: ['id_directory', 'user_chats'],
  option: {
    name: 'distribute',
    meaning: 'distribute the empty tables over the workers of Citus, by chat',
    check: async (url) => (await import('./distribute.js')).requireCitus(onPostgresql(url)),
    apply: async (url) =>
      (await (await import('./distribute.js')).distribute(onPostgresql(url)))
        ? 'Its tables are distributed over the workers now.'
        : 'Its tables are distributed already.',
  },
};

function onPostgresql(url: DatabaseUrl): ServerUrl {
  if (url.provider === 'postgresql') return url;
  throw new Error(`--distribute is for PostgreSQL with Citus, not for ${url.shown}`);
}
