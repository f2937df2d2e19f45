/** The code of the documents, as files that can be imported and type-checked. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);

export const readDocument = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** The packages that the documents install, with paths from a folder three levels below the root. */
const PACKAGES = new Map([
  ["'parley'", "'../../../src/exports/parley.js'"],
  ["'parley/context'", "'../../../src/exports/context.js'"],
]);

/** The programs of a document, by the name in their first line. */
export function programsOf(document: string): Map<string, string> {
  return new Map(
    Array.from(document.matchAll(/```ts\n(\/\/ (\S+\.ts)\n[^]*?)```/g), ([, code = '', name = '']) => [name, code]),
  );
}

/**
 * Writes programs into a folder where packages are found; the folder is removed after the tests of the file.
 * @param path of the folder, three levels below the root, such as test/generated/docs
 * @returns their paths, by name
 */
export function writePrograms(programs: ReadonlyMap<string, string>, path: string): Map<string, string> {
  const folder = fileURLToPath(new URL(path, ROOT));
  mkdirSync(folder, { recursive: true });
  afterAll(() => rmSync(folder, { recursive: true }));
  return new Map(
    Array.from(programs, ([name, code]) => {
      const path = join(folder, name);
      writeFileSync(
        path,
        code.replace(/(?<=\bfrom )'[^']+'/g, (specifier) => PACKAGES.get(specifier) ?? specifier),
      );
      return [name, path];
    }),
  );
}
