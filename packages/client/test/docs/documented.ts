/** Writes the programs of docs/frontends.md to files that can be imported. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const document = readFileSync(new URL('../../../../docs/frontends.md', import.meta.url), 'utf8');
const folder = fileURLToPath(new URL('../../../../test/generated/frontends/', import.meta.url));

/** Writes the programs into a folder with packages, with the address of a server. */
export function writeDocumented(url = 'http://127.0.0.1:4000/graphql'): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new Map(
    Array.from(document.matchAll(/```tsx?\n\/\/ (\S+)\n([^]*?)```/g), ([, name = '', code = '']) => {
      const path = join(folder, `${new URL(url).port}-${name}`);
      writeFileSync(path, code.replace('http://127.0.0.1:4000/graphql', url));
      return [name, path];
    }),
  );
}

/** The files of the page of the empty folder, by name. */
export const pageFiles = (): Map<string, string> =>
  new Map(
    Array.from(
      document.matchAll(/```(?:html|jsx|js)\n(?:\/\/|<!--) (\S+)(?: -->)?\n([^]*?)```/g),
      ([, name = '', code = '']) => [name, code],
    ),
  );
