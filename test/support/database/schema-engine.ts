/** The commands of `prisma migrate`, for the tests: see scripts/prisma/migration-engine.ts. */
import { readFileSync } from 'node:fs';
import type { DiagnoseMigrationHistoryOutput } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { onTestFinished } from 'vitest';
import { renderSchema } from '../../../scripts/prisma/render-schema.mjs';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { openMigrationEngine } from '../../../scripts/prisma/migration-engine.js';

/** The engine must not ignore any table or enum. */
const filters = { externalTables: [], externalEnums: [] };

export interface SchemaEngine {
  /** The SQL with which `prisma migrate diff` converts the database into the models. */
  diffToModels(): Promise<string>;
  /** The result of `prisma migrate status` for these migrations. */
  status(migrations: readonly Migration[]): Promise<DiagnoseMigrationHistoryOutput>;
  /** `prisma migrate deploy`: the names of the applied migrations. */
  deploy(migrations: readonly Migration[]): Promise<string[]>;
}

/** Opens the engine for an existing database, until the end of the test. */
export async function schemaEngine(url: string): Promise<SchemaEngine> {
  const parsed = parseDatabaseUrl(url);
  const source = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
  const schema = { path: 'schema.prisma', content: renderSchema(source, parsed.provider) };
  const engine = await openMigrationEngine(url, [schema.path, schema.content]);
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
