/** The migrations, which are written by hand, equal the models from which the client is generated. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSchema } from '../../../scripts/prisma/render-schema.mjs';
import { migrateSqlite } from '../../../src/features/migrations/sqlite.js';

const source = renderSchema(
  readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8'),
  'sqlite',
).replace(/ *\/\/.*$/gm, '');

const COLUMN_TYPES: Record<string, string> = { String: 'TEXT', BigInt: 'BIGINT', Int: 'INTEGER', Boolean: 'BOOLEAN' };
/** The properties of an index that Prisma cannot express. */
const BEYOND_PRISMA = [
  { name: 'branches_one_active_per_chat', columns: ['chatId'], isUnique: true, isPartial: true },
  { name: 'messages_roots_chatId_siblingIndex', columns: ['chatId', 'siblingIndex'], isUnique: true, isPartial: true },
  { name: 'messages_without_hash', columns: ['chatId', 'seq'], isUnique: false, isPartial: true },
  { name: 'chats_outdated_title_words', columns: ['id'], isUnique: false, isPartial: true },
  { name: 'chat_imports_deleted', columns: ['userId', 'deletedAt', 'chatId'], isUnique: false, isPartial: true },
  { name: 'chat_imports_due', columns: ['expiresAt'], isUnique: false, isPartial: true },
  { name: 'messages_summaries', columns: ['chatId', 'seq'], isUnique: false, isPartial: true },
];

interface Table {
  columns: { name: string; type: string; isRequired: boolean }[];
  primaryKey: string[];
  indexes: { name: string; columns: string[]; isUnique: boolean; isPartial: boolean }[];
  foreignKeys: { columns: string[]; table: string; references: string[]; onDelete: string; onUpdate: string }[];
}

const listIn = (text: string, before: string) =>
  new RegExp(`${before}\\[([^\\]]*)\\]`).exec(text)?.[1]?.split(/,\s*/) ?? [];
const models = new Map(Array.from(source.matchAll(/^model (\w+) \{([^}]*)\}/gm), ([, name, body]) => [name!, body!]));
const tableOf = (model: string) => /@@map\("(\w+)"\)/.exec(models.get(model)!)![1]!;

function action(relation: string, name: string, byDefault: string): string {
  const given = new RegExp(`${name}: (\\w+)`).exec(relation)?.[1] ?? byDefault;
  return given.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
}

/** The table of a model, as prisma migrate would create it. */
function tableOfModel(model: string): Table {
  const body = models.get(model)!;
  const table: Table = { columns: [], primaryKey: listIn(body, '@@id\\('), indexes: [], foreignKeys: [] };
  for (const [, name, type, mark, attributes] of body.matchAll(/^ +(\w+) +(\w+)(\??|\[\])(?: +(@.*))?$/gm)) {
    const columnType = COLUMN_TYPES[type!];
    if (columnType !== undefined) {
      table.columns.push({ name: name!, type: columnType, isRequired: mark === '' });
      if (/@id\b/.test(attributes ?? '')) table.primaryKey.push(name!);
    } else if (attributes?.includes('fields:') === true) {
      table.foreignKeys.push({
        columns: listIn(attributes, 'fields: '),
        table: tableOf(type!),
        references: listIn(attributes, 'references: '),
        onDelete: action(attributes, 'onDelete', mark === '?' ? 'SetNull' : 'Restrict'),
        onUpdate: action(attributes, 'onUpdate', 'Cascade'),
      });
    }
  }
  for (const [, kind, list] of body.matchAll(/@@(unique|index)\(\[([^\]]*)\]\)/g)) {
    const columns = list!.split(/,\s*/);
    const isUnique = kind === 'unique';
    const name = [tableOf(model), ...columns, isUnique ? 'key' : 'idx'].join('_');
    table.indexes.push({ name, columns, isUnique, isPartial: false });
  }
  table.indexes.push(...BEYOND_PRISMA.filter((index) => index.name.startsWith(`${tableOf(model)}_`)));
  return sorted(table);
}

const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
let file: Database.Database;
beforeAll(async () => {
  const path = join(folder, 'parley.db');
  await migrateSqlite(path);
  file = new Database(path, { readonly: true });
});
afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = <Row>(pragma: string) => file.prepare(`PRAGMA ${pragma}`).all() as Row[];

/** The table that the migrations have created. */
function tableInDatabase(name: string): Table {
  const columns = rows<{ name: string; type: string; notnull: number; pk: number }>(`table_info("${name}")`);
  const indexes = rows<{ name: string; unique: number; origin: string; partial: number }>(`index_list("${name}")`);
  const keys = rows<{
    id: number;
    seq: number;
    table: string;
    from: string;
    to: string;
    on_update: string;
    on_delete: string;
  }>(`foreign_key_list("${name}")`);
  const keyed = columns.filter((column) => column.pk > 0).sort((a, b) => a.pk - b.pk);
  return sorted({
    columns: columns.map(({ name, type, notnull }) => ({ name, type, isRequired: notnull === 1 })),
    primaryKey: keyed.map((column) => column.name),
    indexes: indexes
      .filter((index) => index.origin !== 'pk')
      .map(({ name, unique, partial }) => ({
        name,
        columns: rows<{ name: string }>(`index_info("${name}")`).map((column) => column.name),
        isUnique: unique === 1,
        isPartial: partial === 1,
      })),
    foreignKeys: [...new Set(keys.map((key) => key.id))].map((id) => {
      const parts = keys.filter((key) => key.id === id).sort((a, b) => a.seq - b.seq);
      const { table, on_delete: onDelete, on_update: onUpdate } = parts[0]!;
      return { columns: parts.map((p) => p.from), table, references: parts.map((p) => p.to), onDelete, onUpdate };
    }),
  });
}

function sorted(table: Table): Table {
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return { ...table, indexes: table.indexes.sort(byText), foreignKeys: table.foreignKeys.sort(byText) };
}

describe('the migrated tables', () => {
  it('are those of the models, and no other', () => {
    const made = rows<{ name: string; type: string }>('table_list').filter(
      ({ name }) => !/^(sqlite|_prisma|messages_fts)(_|$)/.test(name),
    );
    expect(made.map((table) => table.name).sort()).toEqual([...models.keys()].map(tableOf).sort());
  });

  it.each([...models.keys()])('have the columns, keys and indexes of the model %s', (model) => {
    expect(tableInDatabase(tableOf(model))).toEqual(tableOfModel(model));
  });

  it('are compared by every line of the models', () => {
    const lines = [...models.values()].flatMap((body) => body.split('\n')).filter((line) => line.trim() !== '');
    const isRead = (line: string) =>
      /^ +\w+ +\w+(\??|\[\])( +@.*)?$/.test(line) ||
      /^ +@@(id|unique|index)\(\[[^\]]*\]\)$|^ +@@map\("\w+"\)$/.test(line);
    expect(lines.map((line) => line.trimEnd()).filter((line) => !isRead(line))).toEqual([]);
    expect(models.size).toBe(source.match(/^model /gm)!.length);
  });
});
