/** The JavaScript of the documents, as files that can be imported. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programs } from '../test/support/frontend-documents.js';
import type { Resume } from './cache-client.js';

const SUBSCRIPTIONS = readFileSync(new URL('../docs/subscriptions.md', import.meta.url), 'utf8');

/** A folder where packages are found; it is removed with the test. */
export function programFolder(name: string): string {
  const folder = fileURLToPath(new URL(`generated/${name}/`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** What a program of docs/graphql.md exports. */
export async function cacheProgram<Exports>(folder: string, name: string): Promise<Exports> {
  // What a frontend installs is here three folders up.
  return load(folder, name, programs.get(name)!.replace(/'parley\/(\w+\.json)'/, "'../../../$1'"));
}

/** What makes subscriptions come back with `after`. */
export async function resumeProgram(folder: string): Promise<Resume> {
  const [, code = ''] = /```js\n(\/\/ resume\.js[^]*?)```/.exec(SUBSCRIPTIONS) ?? [];
  const { resume } = await load<{ resume: Resume }>(folder, 'resume.js', code);
  return resume;
}

async function load<Exports>(folder: string, name: string, code: string): Promise<Exports> {
  writeFileSync(join(folder, name), code);
  return (await import(join(folder, name))) as Exports;
}
