/** Type-checks the programs of docs/context.md and of the READMEs. */
import { expect, test } from 'vitest';
import { typeFaults } from '../../support/type-faults.js';
import { writeAllPrograms } from './documented-programs.js';

const paths = writeAllPrograms('docs-types');

test('all code of the documents has the types of the packages', () => {
  expect(typeFaults([...paths.values()])).toBe('');
});
