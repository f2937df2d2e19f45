/** Compares the schema with the published contract. */
import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';

const contract = buildSchema(readFileSync(new URL('contract.graphql', import.meta.url), 'utf8'));
const committed = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');

test('the schema is compatible with the contract', async () => {
  const changes = await diff(contract, buildSchema(committed));
  const harmful = changes.filter((change) => change.criticality.level !== CriticalityLevel.NonBreaking);
  expect(harmful.map(({ message }) => message)).toEqual([]);
});
