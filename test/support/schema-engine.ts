/**
 * The engine of `prisma migrate`, as WebAssembly from npm: what its commands say of a database, without the download
 * that they begin with.
 */
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
import { onTestFinished } from 'vitest';
import { renderSchema } from '../../scripts/render-schema.mjs';
import { postgresqlSettings } from '../../src/database/opening/connections/postgresql.js';
import { parseDatabaseUrl, type DatabaseUrl } from '../../src/database/opening/database-url.js';
import type { Migration } from '../../src/database/migrations/bundled.js';

/** Of tables and enums that the engine is to overlook: none. */
const filters = { externalTables: [], externalEnums: [] };

export interface SchemaEngine {
  /** The SQL with which `prisma migrate diff` would make the models out of the database. */
  diffToModels(): Promise<string>;
  /** What `prisma migrate status` says of the database's migrations beside these. */
  status(migrations: readonly Migration[]): Promise<bindings.DiagnoseMigrationHistoryOutput>;
  /** `prisma migrate deploy`: the names of those that it applied. */
  deploy(migrations: readonly Migration[]): Promise<string[]>;
}

/** For a database that is there; it ends with the test. */
export async function schemaEngine(url: string): Promise<SchemaEngine> {
  const parsed = parseDatabaseUrl(url);
  const source = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8');
  const schema = { path: 'schema.prisma', content: renderSchema(source, parsed.provider) };
  const adapter = bindMigrationAwareSqlAdapterFactory(adapterOf(parsed));
  await load();
  const engine = await bindings.SchemaEngine.new({ datamodels: [[schema.path, schema.content]] }, () => {}, adapter);
  onTestFinished(() => engine.free());
  const listOf = (migrations: readonly Migration[]) => ({
    baseDir: 'migrations',
    lockfile: { path: 'migration_lock.toml', content: `provider = "${parsed.provider}"` },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  });
  return {
    async diffToModels() {
      const { stdout } = await engine.diff({
        from: { tag: 'schemaDatasource', files: [schema], configDir: '' },
        to: { tag: 'schemaDatamodel', files: [schema] },
        script: true,
        exitCode: null,
        filters,
      });
      return stdout ?? '';
    },
    status: (migrations) =>
      engine.diagnoseMigrationHistory({ migrationsList: listOf(migrations), optInToShadowDatabase: false, filters }),
    deploy: async (migrations) =>
      (await engine.applyMigrations({ migrationsList: listOf(migrations), filters })).appliedMigrationNames,
  };
}

let loaded: Promise<void> | undefined;

/** The package would have Node import the .wasm file as a module, which this version does not do. */
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
  if (url.provider === 'sqlite') return new PrismaBetterSqlite3({ url: `file:${url.path}` });
  if (url.provider === 'sqlserver') throw new Error('the engine cannot do SQL Server');
  return withCharacters(postgresqlSettings(url), url.schema);
}

const CHAR = 18;

/** The catalogue of PostgreSQL has columns of the type "char", which the engine asks for and the adapter cannot tell. */
function withCharacters(settings: pg.PoolConfig, schema: string): SqlMigrationAwareDriverAdapterFactory {
  const characters = new Set<string>();
  const pool = new pg.Pool(settings);
  onTestFinished(() => pool.end());
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
  const factory = new PrismaPg(pool, { schema });
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type, n) =>
        characters.has(result.columnNames[n]!) ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    return adapter;
  };
  return { provider: factory.provider, adapterName: factory.adapterName, connect, connectToShadowDb: connect };
}
