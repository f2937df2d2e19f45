/** The models of prisma/schema.prisma have the columns of TABLES, from which the row types derive. */
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { PROVIDERS, renderSchema } from '../../../scripts/render-schema.mjs';
import type { ChatEvent } from '../../../src/conversation/model.js';
import { TABLES, type ColumnKind, type Columns, type Row } from '../../../src/conversation/tables.js';

type ProviderName = (typeof PROVIDERS)[number];

const source = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
const LONG_TEXT = { sqlite: 'String', postgresql: 'String', sqlserver: 'String @db.NVarChar(Max)' };
const TYPES: Record<ColumnKind, string | Record<ProviderName, string>> = {
  key: { sqlite: 'String', postgresql: 'String', sqlserver: 'String @db.NVarChar(255)' },
  text: LONG_TEXT,
  base64: { sqlite: 'String', postgresql: 'String', sqlserver: 'String @db.VarChar(Max)' },
  json: LONG_TEXT,
  jsonb: { ...LONG_TEXT, postgresql: 'Json @db.JsonB' },
  int: 'Int',
  long: 'BigInt',
  time: 'BigInt',
  boolean: 'Boolean',
};
/** Columns that only statements use: the generated id, and the title of the stored words. */
const GENERATED = new Set([
  'message_texts.id Int',
  'chats.indexedTitle String?',
  'chats.indexedTitle String? @db.NVarChar(255)',
]);

/** The columns of each table as the models have them, such as `title String?`. */
function tablesOfModels(provider: ProviderName): Record<string, string[]> {
  const models = renderSchema(source, provider).matchAll(/^model \w+ \{\n([^}]*)@@map\("(\w+)"\)\n\}/gm);
  return Object.fromEntries(
    Array.from(models, ([, body = '', table = '']) => {
      const lines = body.matchAll(/^ +(\w+) +((?:String|Int|BigInt|Boolean|Json)\??)(?= |$)(?:.*?( @db\.\S+))?/gm);
      const columns = Array.from(lines, ([, name, type, native = '']) => `${name} ${type}${native}`);
      return [table, columns.filter((column) => !GENERATED.has(`${table}.${column}`))];
    }),
  );
}

function columnsOf(table: Columns, provider: ProviderName): string[] {
  return Object.entries(table).map(([name, { kind, isNullable }]) => {
    const of = TYPES[kind];
    const [type, ...native] = (typeof of === 'string' ? of : of[provider]).split(' ');
    return [name, isNullable ? `${type}?` : type, ...native].join(' ');
  });
}

describe.each(PROVIDERS)('the models of %s', (provider) => {
  const models = tablesOfModels(provider);

  test.each(Object.entries(TABLES))('have the columns of %s', (name, table) => {
    expect(models[name]).toEqual(columnsOf(table, provider));
  });

  test('have no other table', () => {
    expect(Object.keys(models).sort()).toEqual(Object.keys(TABLES).sort());
    expect(Object.keys(models)).toHaveLength(source.match(/^model /gm)!.length);
  });
});

// TypeScript compares the types. Events are excluded, because their payload is parsed.
expectTypeOf<keyof ChatEvent>().toEqualTypeOf<keyof Row<'chat_events'>>();
