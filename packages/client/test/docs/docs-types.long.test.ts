/** Type-checks the programs of docs/frontends.md. */
import { expect, test } from 'vitest';
import { typeFaults } from '../../../../test/support/type-faults.js';
import { writeDocumented as write } from './documented.js';

test('the programs have the documented types', () => {
  const paths = [...write().values()];
  expect(paths).toHaveLength(12);
  expect(typeFaults(paths, { lib: ['es2023', 'es2024.string', 'dom', 'dom.iterable'] })).toBe('');
});
