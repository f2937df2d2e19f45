/**
 * Runs a module where nothing is but the language and what browsers, workers and edge runtimes all have of the web, as far as it is
 * used: no process, no Buffer, and no module of Node's.
 *
 *     node --experimental-vm-modules --experimental-import-meta-resolve bare-runtime.mjs <url of the module> <argument>
 *
 * Prints as JSON what its default export answers to the argument, and the URLs of all modules that were loaded.
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
