/**
 * Runs a module with only the language and the web APIs that browsers, workers and edge runtimes share: no process, no Buffer,
 * and no module of Node.
 *
 *     node --experimental-vm-modules --experimental-import-meta-resolve bare-runtime.mjs <url of the module> <argument>
 *
 * Prints as JSON the result of its default export for the argument, and the URLs of all loaded modules.
 */
import { readFile } from 'node:fs/promises';
import { createContext, SourceTextModule } from 'node:vm';

const [entry, argument] = process.argv.slice(2);
const context = createContext({
  ...{ fetch, AbortController, AbortSignal, URL, Headers, crypto },
  ...{ TextEncoder, TextDecoder, ReadableStream, setTimeout, clearTimeout },
});
const modules = new Map();

function load(url) {
  if (!modules.has(url)) modules.set(url, read(url));
  return modules.get(url);
}

async function read(url) {
  if (!url.startsWith('file:')) throw new Error(`There is no ${url} here`);
  return new SourceTextModule(await readFile(new URL(url), 'utf8'), { context, identifier: url });
}

const module = await load(entry);
await module.link((specifier, parent) => load(import.meta.resolve(specifier, parent.identifier)));
await module.evaluate();
const answer = await module.namespace.default(argument);
process.stdout.write(JSON.stringify({ answer, loaded: [...modules.keys()] }));
