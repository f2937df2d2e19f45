/** The engine of `prisma migrate` as WebAssembly from npm, because its binary needs a download. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { postgresqlSettings } from '../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type DatabaseUrl } from '../../src/database/connection/database-url.js';

/** A path and the text of a Prisma schema. */
export type Datamodel = [path: string, content: string];

/** Opens the engine for a database; `free` closes it. */
export async function openMigrationEngine(url: string, datamodel: Datamodel): Promise<bindings.SchemaEngine> {
  const adapter = bindMigrationAwareSqlAdapterFactory(adapterOf(parseDatabaseUrl(url)));
  await load();
  return bindings.SchemaEngine.new({ datamodels: [datamodel] }, () => {}, adapter);
}

let loaded: Promise<void> | undefined;

/** The package imports the .wasm file as a module, which this version of Node does not support. */
function load(): Promise<void> {
  loaded ??= (async () => {
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
    const file = readFileSync(join(dirname(entry), 'schema_engine_bg.wasm'));
    const { instance } = await WebAssembly.instantiate(file, { './schema_engine_bg.js': { ...bindings } });
    bindings.__wbg_set_wasm(instance.exports);
    (instance.exports['__wbindgen_start'] as () => void)();
  })();
  return loaded;
}

function adapterOf(url: DatabaseUrl): SqlMigrationAwareDriverAdapterFactory {
  if (url.provider === 'sqlite') return withNamesAsTexts(new PrismaBetterSqlite3({ url: `file:${url.path}` }));
  if (url.provider === 'sqlserver') throw new Error('the engine does not support SQL Server');
  return withCharacters(postgresqlSettings(url), url.schema);
}

/** The engine puts names of indexes into double quotes, which this build of SQLite reads as names of columns. */
function withNamesAsTexts(factory: PrismaBetterSqlite3): SqlMigrationAwareDriverAdapterFactory {
  const reading = (connect: () => Promise<SqlDriverAdapter>) => async (): Promise<SqlDriverAdapter> => {
    const adapter = await connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = (query) => queryRaw({ ...query, sql: query.sql.replace(/(?<== ?)"(\w+)"/g, "'$1'") });
    return adapter;
  };
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: reading(() => factory.connect()),
    connectToShadowDb: reading(() => factory.connectToShadowDb()),
  };
}

const CHAR = 18;

/** PostgreSQL's catalogue has columns of the type "char", which the engine reads and the adapter does not know. */
function withCharacters(settings: pg.PoolConfig, schema: string): SqlMigrationAwareDriverAdapterFactory {
  const characters = new Set<string>();
  const pool = new pg.Pool(settings);
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<pg.QueryArrayResult>;
  pool.query = async (...given: unknown[]) => {
    const result = await query(...given);
    for (const field of result.fields) {
      if (field.dataTypeID !== CHAR) continue;
      characters.add(field.name);
      field.dataTypeID = pg.types.builtins.TEXT;
    }
    return result as never;
  };
  const factory = new PrismaPg(pool, { schema, disposeExternalPool: true });
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type, n) =>
        characters.has(result.columnNames[n] ?? '') ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    // The adapter splits scripts at every semicolon, also within comments; the engine's binary sends them whole.
    adapter.executeScript = async (script) => void (await query(script));
    return adapter;
  };
  return { provider: factory.provider, adapterName: factory.adapterName, connect, connectToShadowDb: connect };
}
