import { expect, it } from 'vitest';
import { bundledMigrations } from '../../../src/database/drivers/bundled-migrations.js';
import { concurrentIndexOf, inTransaction, statementsOf } from '../../../src/features/migrations/postgresql.js';

it('ends statements at semicolons outside of texts, names, bodies and comments', () => {
  const script = `
    -- A comment; with a ' quote.
    SELECT ';', 'it''s;', ";" FROM a; /* another; one */
    CREATE FUNCTION f() AS $$ BEGIN; '; $$; SELECT $x$ ; $$ ; $x$;
    SELECT 4 - 2 / 1 -- the end
  `;
  expect(statementsOf(script)).toEqual([
    `SELECT ';', 'it''s;', ";" FROM a`,
    `CREATE FUNCTION f() AS $$ BEGIN; '; $$`,
    'SELECT $x$ ; $$ ; $x$',
    'SELECT 4 - 2 / 1',
  ]);
});

it('finds the statements of each migration', () => {
  const COMMAND = /^(CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|WITH|COMMENT|DO) /;
  for (const { sql } of bundledMigrations('postgresql')) {
    const statements = statementsOf(sql);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) expect(statement).toMatch(COMMAND);
  }
});

it('recognizes a migration that builds an index concurrently', () => {
  const build = '-- Why.\nCREATE INDEX CONCURRENTLY "a_x" ON "a"("x");';
  expect(concurrentIndexOf(build)).toBe('a_x');
  expect(concurrentIndexOf(build.replace('INDEX', 'UNIQUE INDEX'))).toBe('a_x');
  expect(concurrentIndexOf(`${build} SELECT 1;`)).toBeNull();
  expect(concurrentIndexOf('CREATE INDEX "a_x" ON "a"("x");')).toBeNull();
  expect(statementsOf(build).map(inTransaction)).toEqual(['CREATE INDEX "a_x" ON "a"("x")']);
});
