/**
 * docs/context matches the code: each program prints the output below it, and each fragment is rendered as
 * shown. `npx vitest run test/context/docs/docs.test.ts -u` updates the outputs in the document.
 */
import { format } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ContextFragment } from '@parley/context';
import * as domainFragments from '../../../packages/context/src/fragments/domain-fragments.js';
import * as userFragments from '../../../packages/context/src/fragments/user-fragments.js';
import * as library from '@parley/context';
import { createServer, type ParleyServer } from '../../../src/server.js';
import { openParley } from '../../support/server/parley.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { readDocument } from './docs-examples.js';
import {
  AGENTS,
  COMING,
  DOCUMENT,
  EMPTY,
  FRAGMENT_AND_TEXTS,
  PAGES,
  PROGRAM_AND_OUTPUT,
  programs,
  ROUTES,
  writeAllPrograms,
} from './documented-programs.js';

const paths = writeAllPrograms('docs-programs');

const RENDERERS = {
  xml: new library.XmlRenderer(),
  text: new library.MarkdownRenderer(),
  toml: new library.TomlRenderer(),
  toon: new library.ToonRenderer(),
};

/** Imports a program, which runs it. @returns its output */
async function outputOf(name: string): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...values) => lines.push(format(...values)));
  await import(paths.get(name)!);
  log.mockRestore();
  return lines.join('\n');
}

const block = (language: string, text: string) => `\n\`\`\`${language}\n${text}\n\`\`\`\n`;

test('the pages show the output of its programs and renderers', async () => {
  const { default: fragments } = (await import(paths.get('fragments.ts')!)) as { default: ContextFragment[] };
  const written = fragments.map((fragment) =>
    Object.entries(RENDERERS).map(([language, renderer]) => block(language, renderer.render([fragment]))),
  );
  const outputs = new Map<string, string>();
  for (const [, , name = '', shown] of DOCUMENT.matchAll(PROGRAM_AND_OUTPUT)) {
    if (shown !== undefined) outputs.set(name, await outputOf(name));
  }
  for (const path of PAGES) {
    const page = readDocument(path)
      .replace(PROGRAM_AND_OUTPUT, (all, program: string, name: string) => {
        const output = outputs.get(name);
        return output === undefined ? all : program + block('text', output);
      })
      .replace(FRAGMENT_AND_TEXTS, (_, call: string) => call + written.shift()!.join(''));
    await expect(page).toMatchFileSnapshot(`../../../${path}`);
  }
});

test('empty values are rendered as the table shows', async () => {
  const { default: rows } = (await import(paths.get('empty.ts')!)) as { default: ContextFragment[][] };
  expect(rows).toHaveLength(4);
  for (const [index, fragments] of rows.entries()) {
    const written = fragments.map((fragment) => Object.values(RENDERERS).map((each) => each.render([fragment])));
    for (const texts of written) expect(texts).toEqual(EMPTY[index]!.written);
  }
});

test('every program except the agents has an output', () => {
  const silent = [...DOCUMENT.matchAll(PROGRAM_AND_OUTPUT)].filter(([, , , output]) => output === undefined);
  expect(silent.map(([, , name]) => name)).toEqual([COMING, ...AGENTS, ...ROUTES]);
  const all = DOCUMENT.match(/^```ts$/gm) ?? [];
  expect(all).toHaveLength(programs.size + [...DOCUMENT.matchAll(FRAGMENT_AND_TEXTS)].length);
});

test('every helper for fragments has a section that calls it', () => {
  const helpers = Object.keys({ ...domainFragments, ...userFragments });
  expect(helpers).toHaveLength(19);
  const sections = [...DOCUMENT.matchAll(/^### (\w+)\n\n.*\n\n```ts\n(\w+)\(/gm)];
  expect(sections.map(([, heading]) => heading).sort()).toEqual(helpers.sort());
  expect(sections.map(([, , called]) => called)).toEqual(sections.map(([, heading]) => heading));
});

test('every method of a store is in the table', () => {
  const [, stores = ''] = DOCUMENT.split(/^## Two stores$|^## Over GraphQL$/m);
  const methods = [...stores.matchAll(/^\| `(\w+)\(.*?\)` +\|/gm)].map(([, name]) => name);
  const declared = Object.getOwnPropertyNames(library.RemoteStore.prototype);
  const inherited = Object.getOwnPropertyNames(library.ContextStore.prototype);
  const expected = new Set([...declared, ...inherited].filter((name) => name !== 'constructor'));
  expect(methods.sort()).toEqual(['openContextStore', ...expected].sort());
});

test('every property and call of an engine is in a table', () => {
  const [, engine = ''] = DOCUMENT.split(/^## The engine$|^## Errors$/m);
  const [, branches = ''] = DOCUMENT.split(/^## Branches$|^## Working with others$/m);
  const named = Array.from((engine + branches).matchAll(/^\| `(\w+)[`(]/gm), ([, name]) => name);
  const store = new library.RemoteStore({ url: 'http://127.0.0.1:4000/graphql' });
  const declared = Object.getOwnPropertyNames(library.ContextEngine.prototype);
  const own = Object.keys(new library.ContextEngine({ store, chatId: 'c', userId: 'u' }));
  const expected = [...declared.filter((name) => name !== 'constructor'), ...own];
  // Options of the constructor.
  expect([...new Set(named)].sort()).toEqual([...expected, 'metadata', 'store'].sort());
});

interface ContextAnswer {
  chat: { branch: { context: { systemPrompt: string; messages: unknown[] } } };
}

test('Branch.context returns the result on the page, which equals the result of an engine', async () => {
  const [query = ''] = Array.from(DOCUMENT.matchAll(/```graphql\n([^]*?)```/g), ([, text]) => text);
  const [variables, shown] = Array.from(
    DOCUMENT.matchAll(/```json\n([^]*?)```/g),
    ([, json = '']) => JSON.parse(json) as unknown,
  );
  const parley = await openParley({ demo: true });
  const answer = await parley.ask(query, variables);
  expect(answer).toEqual(shown);

  const { chatId, branch, input } = variables as {
    chatId: string;
    branch: string;
    input: { fragments: ContextFragment[]; pending: { id: string; name: string; content: { text: string } }[] };
  };
  const server = await demoServer();
  const context = new library.ContextEngine({ store: server.contextStore(), chatId, userId: 'local', branch });
  context.set(...input.fragments);
  for (const { id, name, content } of input.pending) context.set(library.message(content.text, { id, name }));
  const resolved = await context.resolve({ renderer: RENDERERS.text });
  expect((answer.data as unknown as ContextAnswer).chat.branch.context).toEqual(resolved);

  const nameless = { name: 'limits', data: { limits: { name: '', data: 1 } } };
  const { errors } = await parley.ask(query, { ...(variables as object), input: { fragments: [nameless] } });
  expect(errors?.[0]?.extensions).toEqual({ code: 'INVALID_INPUT', path: 'fragments.0.data.limits' });
});

test.each([
  ['readme.ts', 'demo'],
  ['package-readme.ts', 'weekend'],
])('the example of a README works on the demo: %s', async (name, chatId) => {
  const server = await demoServer();
  const url = await server.start();
  // The default address of the server.
  const elsewhere = globalThis.fetch;
  vi.stubGlobal('fetch', (to: string | URL, init: RequestInit) => {
    expect(String(to)).toBe('http://127.0.0.1:4000/graphql');
    return elsewhere(url, init);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await outputOf(name)).toContain('<role>You are a travel guide.</role>');
  const messages = await server.contextStore().getMessages(chatId);
  expect(messages.slice(-2).map(({ name }) => name)).toEqual(['user', 'assistant']);
});

async function demoServer(): Promise<ParleyServer> {
  const server = await createServer({ databaseUrl: temporaryDatabaseUrl(), demo: true, port: 0 });
  onTestFinished(() => server.stop());
  return server;
}
