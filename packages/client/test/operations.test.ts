/** The operations of this package conform to the contract. */
import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import * as client from '../src/generated/operations.js';

const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));
const texts = Object.entries(client).filter(([, value]) => typeof value === 'string') as [string, string][];

test('every operation is valid, and its name is that of its export', () => {
  expect(texts.length).toBeGreaterThan(25);
  for (const [name, text] of texts) {
    expect(validate(schema, parse(text)), name).toEqual([]);
    expect(text).toMatch(new RegExp(`^(query|mutation|subscription) ${name}\\b`));
  }
});
