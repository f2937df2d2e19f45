/** The code of docs/context and of the READMEs, as programs. */
import * as library from '@parley/context';
import { programsOf, readDocument, writePrograms } from './docs-examples.js';

/** The pages of the library. */
export const PAGES = [
  'docs/context.md',
  ...['fragments', 'messages', 'branches', 'answers', 'answer-handler', 'stores', 'helpers'].map(
    (name) => `docs/context/${name}.md`,
  ),
];
export const DOCUMENT = PAGES.map(readDocument).join('\n');
const READMES = {
  'readme.ts': readDocument('README.md'),
  'package-readme.ts': readDocument('packages/context/README.md'),
};

/** A program, and the block with its output, if there is one. */
export const PROGRAM_AND_OUTPUT = /(```ts\n\/\/ (\S+\.ts)\n[^]*?```\n)(\n```text\n[^]*?```\n)?/g;
/** A fragment in XML, Markdown, TOML and TOON. Prettier would reformat the second if it were marked md. */
export const FRAGMENT_AND_TEXTS =
  /(```ts\n(?!\/\/)([^]*?);?\n```\n)\n```xml\n[^]*?```\n\n```text\n[^]*?```\n\n```toml\n[^]*?```\n\n```toon\n[^]*?```\n/g;

/** All fragments of the pages as one program. */
function programOfFragments(): string {
  const fragments = Array.from(DOCUMENT.matchAll(FRAGMENT_AND_TEXTS), ([, , code = '']) => code);
  const called = new Set(Array.from(fragments.join('\n').matchAll(/\b([a-z]\w*)\(/gi), ([, name = '']) => name));
  const names = [...called].filter((name) => name in library);
  return `import { ${names.join(', ')} } from 'parley/context';\nexport default [\n${fragments.join(',\n')},\n];\n`;
}

/** The rows of the table of empty values: fragments and their text. */
export const EMPTY = Array.from(
  DOCUMENT.matchAll(/^\| (`fragment\(.*?) *\|(.*)\|$/gm),
  ([, calls = '', written = '']) => ({
    calls: Array.from(calls.matchAll(/`(.*?)`/g), ([, call = '']) => call),
    written: written.split('|').map((cell) => cell.trim().replaceAll('`', '')),
  }),
);

function programOfEmpty(): string {
  const rows = EMPTY.map(({ calls }) => `[${calls.join(', ')}],\n`);
  return `import { fragment } from 'parley/context';\nexport default [\n${rows.join('')}];\n`;
}

export const programs = programsOf(DOCUMENT);
/** They import the AI SDK: test/conformance/context/agent.test.ts runs and type-checks them. */
export const AGENTS = ['agent.ts', 'stream.ts'];
/** test/context/original/original-programs.test.ts calls it. */
export const COMING = 'coming.ts';
/** Frameworks import them: docs-types.long.test.ts checks their types, and packages/context/test sends requests to such handlers. */
export const ROUTES = ['route.ts', 'worker.ts'];

/** Writes all programs until the end of the calling file. @returns their paths, by name */
export function writeAllPrograms(folder: string): Map<string, string> {
  return writePrograms(
    new Map([
      ...[...programs].filter(([name]) => !AGENTS.includes(name)),
      ['fragments.ts', programOfFragments()],
      ['empty.ts', programOfEmpty()],
      ...Object.entries(READMES).map(([name, text]) => [name, /```ts\n([^]*?)```/.exec(text)?.[1] ?? ''] as const),
    ]),
    `test/generated/${folder}`,
  );
}
