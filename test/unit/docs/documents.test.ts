/** The prose of the documentation is direct, and its links lead to files and headings that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const listMarkdown = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const listReadmes = (folder: string) => readdirSync(folder).map((name) => join(folder, name, 'README.md'));

const DOCUMENTS = [
  ...listMarkdown('docs'),
  ...listReadmes('examples'),
  ...listReadmes('packages'),
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
];

const INDIRECT =
  /\b(?:[Ww]ho(?:ever)?|[Nn]obody|[Ss]omebody|[Ee]verybody|is to|shall|is gone|behind|gives? way)\b|(?:^|[.] )(?:What|Of|That|Behind) /;

/** Removes code and the targets of links, whose names can contain any word. */
const proseOf = (markdown: string) =>
  markdown.replace(/^ *```[^]*?^ *```$/gm, '').replace(/`[^`\n]*`|\]\([^)]*\)/g, '');

const headingsOf = (markdown: string) =>
  Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test.each(DOCUMENTS)('%s has no indirect sentences', (path) => {
  const lines = proseOf(readFileSync(path, 'utf8')).split('\n');
  expect(lines.filter((line) => INDIRECT.test(line))).toEqual([]);
});

test.each(DOCUMENTS)('the links of %s lead to files and headings', (path) => {
  const text = readFileSync(path, 'utf8').replace(/^ *```[^]*?^ *```$/gm, '');
  const broken = Array.from(text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)).filter(
    ([, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !headingsOf(readFileSync(target, 'utf8')).includes(anchor);
    },
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

test('the files and folders that CONTRIBUTING.md names exist', () => {
  const paths = readFileSync('CONTRIBUTING.md', 'utf8').matchAll(
    /`((?:deploy|docs|examples|packages|prisma|scripts|src|test)\/[\w./-]+)`/g,
  );
  // `npm run generate` writes src/generated.
  const named = Array.from(paths, ([, path = '']) => path).filter((path) => path !== 'src/generated');
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
