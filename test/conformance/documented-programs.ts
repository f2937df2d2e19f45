/** The JavaScript of the documents, as importable files. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programs } from '../support/chats/frontend-documents.js';
import type { Resume } from './caches/cache-client.js';

const SUBSCRIPTIONS = readFileSync(new URL('../../docs/subscriptions.md', import.meta.url), 'utf8');
const FRONTENDS = readFileSync(new URL('../../docs/frontends.md', import.meta.url), 'utf8');
const CLIENT = fileURLToPath(new URL('../../packages/client/', import.meta.url));

/** A folder from which packages resolve; removed at the end of the test. */
export function programFolder(name: string): string {
  const folder = fileURLToPath(new URL(`generated/${name}/`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The exports of a program of docs/graphql/caches.md. */
export function cacheProgram<Exports>(folder: string, name: string): Promise<Exports> {
  installClient(folder);
  return load(folder, name, programs.get(name)!);
}

/** The exports of a program of docs/frontends.md. */
export function frontendProgram<Exports>(folder: string, name: string): Promise<Exports> {
  return clientProgram(folder, name, frontendCode(name));
}

/** A program of docs/frontends.md, for a bundler. */
export function frontendCode(name: string): string {
  const start = FRONTENDS.indexOf(`// ${name}\n`);
  return FRONTENDS.slice(start, FRONTENDS.indexOf('```', start));
}

/** The exports of a program that imports the client, in a folder of `programFolder`. */
export function clientProgram<Exports>(folder: string, name: string, code: string): Promise<Exports> {
  installClient(folder);
  return load(folder, name, code);
}

/** Copies the built client to a folder from which it resolves the installed caches, as in a frontend. */
function installClient(folder: string): void {
  const client = join(folder, 'node_modules/@parley/client');
  cpSync(join(CLIENT, 'dist'), join(client, 'dist'), { recursive: true });
  const manifest = readFileSync(join(CLIENT, 'package.json'), 'utf8').replace(/"@parley\/source": .*/g, '');
  writeFileSync(join(client, 'package.json'), manifest);
}

/** The function that makes subscriptions resume with `after`. */
export async function resumeProgram(folder: string): Promise<Resume> {
  const [, code = ''] = /```js\n(\/\/ resume\.js[^]*?)```/.exec(SUBSCRIPTIONS) ?? [];
  const { resume } = await load<{ resume: Resume }>(folder, 'resume.js', code);
  return resume;
}

async function load<Exports>(folder: string, name: string, code: string): Promise<Exports> {
  writeFileSync(join(folder, name), code);
  return (await import(join(folder, name))) as Exports;
}
