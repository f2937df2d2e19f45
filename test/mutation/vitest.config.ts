/**
 * The tests of `npm test` on SQLite, with sources that count their blocks (MUTATION_HITS names the file of counts) or with
 * one mutant (MUTATION, in JSON). MUTATION_TESTS is a JSON list of the test files, in order. No file of the sources changes.
 */
import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import ts from 'typescript';
import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type Vite } from 'vitest/node';
import project from '../../vitest.config.js';
import { versionOf } from './coverage.js';
import { blocksOf, isMutable, parse, type Mutant } from './mutants.js';

const root = dirname(dirname(import.meta.dirname));
const given = (name: string): unknown => JSON.parse(process.env[name] ?? 'null');
const isCovering = process.env['MUTATION_HITS'] !== undefined;
const mutant = given('MUTATION') as Mutant | null;
const tests = given('MUTATION_TESTS') as string[] | null;

function changed(file: string, source: string): string | null {
  if (file === mutant?.file) return source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end);
  return isCovering && isMutable(file) ? withCounters(file, source) : null;
}

function withCounters(file: string, source: string): string {
  const insertions = blocksOf(parse(file, source)).flatMap((block, number): [number, string][] => {
    const count = `parleyHit(${number})`;
    if (ts.isBlock(block)) return [[block.getStart() + 1, `${count};`]];
    if (ts.isCaseClause(block)) return [[block.statements.pos, `${count};`]];
    const end: [number, string] = [block.end, ')'];
    return [[block.getStart(), `(${count},`], end];
  });
  let text = source;
  for (const [position, inserted] of insertions.sort(([a], [b]) => b - a)) {
    text = text.slice(0, position) + inserted + text.slice(position);
  }
  return `${text}\nfunction parleyHit(block) { globalThis.parleyHit?.(${JSON.stringify(versionOf(file, source))}, block); }\n`;
}

const plugin: Vite.Plugin = {
  name: `parley-mutation-${isCovering ? 'counts' : 'mutant'}`,
  enforce: 'pre',
  load(id) {
    const file = relative(root, id);
    return /\.tsx?$/.test(id) ? changed(file, readFileSync(id, 'utf8')) : null;
  },
  configureVitest({ experimental_defineCacheKeyGenerator: defineCacheKey }) {
    defineCacheKey(({ id }) => (relative(root, id) === mutant?.file ? false : undefined));
  },
};

class GivenOrder extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests?.indexOf(relative(root, moduleId)) ?? 0;
    return Promise.resolve(specifications.sort((a, b) => place(a) - place(b)));
  }
}

const { projects, ...shared } = project.test ?? {};
const { test: sqlite } = projects![0] as TestProjectInlineConfiguration;

export default defineConfig({
  ...project,
  root,
  plugins: [plugin],
  test: {
    ...shared,
    cache: false,
    maxWorkers: isCovering ? 2 : 1,
    setupFiles: [...(shared.setupFiles ?? []), ...(isCovering ? ['test/mutation/hits.ts'] : [])],
    sequence: { sequencer: GivenOrder },
    projects: [{ extends: true, test: { ...sqlite, include: tests ?? sqlite!.include! } }],
  },
});
