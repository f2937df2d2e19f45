/**
 * `npm run structure`: prints the size of the code, the folders that import each other, and how many of Parley's functions
 * run for a request of a warm server. `--functions` also prints their names by file.
 */
import './build.mjs';
import { Session } from 'node:inspector/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderImports, pathsOf } from './imports.mjs';
import { root } from './parts.mjs';

const CODE = '*.{ts,tsx,mjs,js,css}';
const WARM_REQUESTS = 300;
/** Only functions of each of them count: timers of the server run during some. */
const MEASURED_REQUESTS = 30;
const SHOWS_FUNCTIONS = process.argv.includes('--functions');

function linesOf(...patterns) {
  const paths = pathsOf(patterns).filter((path) => !/^packages\/[^/]+\/test\//.test(path));
  return paths.reduce((sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length - 1, 0);
}

/** Pairs of folders with the same parent that import each other. */
const mutual = Array.from(folderImports, ([from, targets]) =>
  [...targets].filter((to) => from < to && folderImports.get(to)?.has(from)).map((to) => `${from} and ${to}`),
).flat();

const session = new Session();

/** The functions of Parley that run at least once during `work`, by their place. */
async function functionsIn(work) {
  // Takes the calls since the last time.
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const dist = pathToFileURL(join(root, 'dist')).href;
  const found = new Map();
  for (const { url, functions } of result.filter(({ url }) => url.startsWith(dist))) {
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset }] = ranges;
      const path = url.slice(dist.length + 1);
      if (count > 0) found.set(`${path}:${startOffset}`, { path, name: functionName || '()' });
    }
  }
  return found;
}

function shown(functions) {
  const files = new Set(functions.map(({ path }) => path));
  const namesOf = (path) => functions.flatMap((each) => (each.path === path ? [each.name] : [])).join(', ');
  const lines = Array.from(files, (path) => `\n  ${path}: ${namesOf(path)}`);
  return `${functions.length} in ${files.size} files${SHOWS_FUNCTIONS ? lines.join('') : ''}`;
}

/** Counts the functions of a save of two messages, a chain and the start of a subscription, over HTTP. */
async function measureRequests() {
  const { createServer } = await import(pathToFileURL(join(root, 'dist/exports/parley.js')).href);
  const server = await createServer({ databaseUrl: ':memory:', port: 0, log: () => {} });
  const url = await server.start();
  const post = async (query, variables, accept = 'application/json') =>
    fetch(url, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
  let saved = 0;
  const save = async () => {
    const messages = [1, 2].map((each) => ({
      id: `m${saved}-${each}`,
      name: 'user',
      content: { data: { text: 'Hello' } },
    }));
    saved++;
    const response = await post(SAVE, { input: { chatId: 'chat', branch: 'main', messages } });
    const { data, errors } = await response.json();
    if (data?.saveMessages.messageEdges?.length !== 2)
      throw new Error(`The save failed: ${JSON.stringify({ data, errors })}`);
  };
  const chain = async () => void (await (await post(CHAIN)).json());
  const follow = async () => {
    const response = await post(FOLLOW, {}, 'text/event-stream');
    const reader = response.body.getReader();
    await reader.read();
    await reader.cancel();
  };
  await post('mutation { createChat(input: { id: "chat" }) { __typename } }');
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const measured = {};
  for (const [name, request] of Object.entries({ save, chain, 'branchHead subscription': follow })) {
    for (let warm = 0; warm < WARM_REQUESTS; warm++) await request();
    let common = await functionsIn(request);
    for (let run = 1; run < MEASURED_REQUESTS; run++) {
      const own = await functionsIn(request);
      common = new Map([...common].filter(([place]) => own.has(place)));
    }
    measured[name] = shown([...common.values()]);
  }
  session.disconnect();
  await server.stop();
  return measured;
}

const SAVE = `mutation ($input: SaveMessagesInput!) {
  saveMessages(input: $input) { ... on SaveMessagesPayload { messageEdges { node { id } } } ... on Error { message } }
}`;
const CHAIN = '{ chat(id: "chat") { activeBranch { chain { id data } } } }';
const FOLLOW = 'subscription { branchHead(chatId: "chat", branch: "main") { __typename } }';

const rows = {
  'Lines of code': linesOf(`src/**/${CODE}`, `packages/**/${CODE}`, `scripts/**/${CODE}`),
  'Lines of src outside features': linesOf(`src/**/${CODE}`) - linesOf(`src/features/**/${CODE}`),
  ...Object.fromEntries(
    Object.entries(await measureRequests()).map(([name, count]) => [`Functions of a ${name}`, count]),
  ),
};
for (const [name, value] of Object.entries(rows)) console.log(`${name}: ${value}`);
console.log(`Folders that import each other: ${mutual.length}\n${mutual.map((pair) => `  ${pair}`).join('\n')}`);
