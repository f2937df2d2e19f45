import { readFileSync } from 'node:fs';
import { isInputObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.js';

const committed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

test('schema.graphql is what the code prints', () => {
  expect(committed.trim()).toBe(printSchema(lexicographicSortSchema(schema)).trim());
});

test("exactly one of text and data is the schema's own rule", () => {
  const content = schema.getType('MessageContent');
  expect(isInputObjectType(content) && content.isOneOf).toBe(true);
});

test('every type has a description', () => {
  const silent = Object.values(schema.getTypeMap())
    .filter((type) => !type.name.startsWith('__') && !type.description)
    .map((type) => type.name);
  expect(silent).toEqual([]);
});
