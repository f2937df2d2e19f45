/** Type-checks the programs of docs/frontends.md. */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { writeDocumented as write } from './documented.js';

test('the programs have the documented types', () => {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, '..');
  const paths = [...write().values()];
  const lib = [...(options.lib ?? []), 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];
  const program = ts.createProgram(paths, { ...options, lib });
  const faults = paths.flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)));
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  expect(paths).toHaveLength(11);
});
