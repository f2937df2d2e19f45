/** Parsed documents are kept to be run again, and take a hundred times the room of their text. */
import { parse } from 'graphql';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DocumentCache } from '../../src/http/documents/document-cache.js';
import { bothTransports } from './both-transports.js';

const document = parse('{ a }');

it('keeps a limited number of characters, and evicts the least recently used documents', () => {
  const cache = new DocumentCache(10);
  for (const text of ['one ', 'two ', 'on']) cache.set(text, document);
  expect(extentOf(cache)).toEqual({ documents: 3, characters: 10 });
  expect(cache.get('one ')).toBe(document);
  cache.set('3', document);
  expect(cache.get('two ')).toBeUndefined();
  expect(cache.get('one ')).toBe(document);
  expect(extentOf(cache)).toEqual({ documents: 3, characters: 7 });
});

it('counts a document once, and keeps none above the limit', () => {
  const cache = new DocumentCache(10);
  for (let n = 0; n < 3; n++) cache.set('one ', document);
  cache.set('x'.repeat(11), document);
  expect(extentOf(cache)).toEqual({ documents: 1, characters: 4 });
  cache.delete('one ');
  cache.delete('one ');
  expect(extentOf(cache)).toEqual({ documents: 0, characters: 0 });
});

/** How much a cache holds. */
function extentOf({ size: documents, calculatedSize: characters }: DocumentCache) {
  return { documents, characters };
}

/** A server and its cached documents. */
async function watchedServer() {
  const set = vi.spyOn(DocumentCache.prototype, 'set');
  onTestFinished(() => set.mockRestore());
  const server = await bothTransports();
  return { ...server, set, kept: () => extentOf(set.mock.contexts[0] as DocumentCache) };
}

it('a document is parsed once for both transports', async () => {
  const { ask, set, kept } = await watchedServer();
  for (let n = 0; n < 3; n++) expect(await ask('{ viewer { userId } }')).toHaveProperty('data.viewer');
  expect(set).toHaveBeenCalledTimes(1);
  expect(kept()).toEqual({ documents: 1, characters: '{ viewer { userId } }'.length });
});

it('documents that are refused are not kept', async () => {
  const { ask, set, kept } = await watchedServer();
  for (const wrong of ['{ nothing }', `{ ${'a '.repeat(4_990)} }`, '{ a {']) {
    expect(await ask(wrong)).toHaveProperty('errors');
  }
  // Two of them can be parsed, each over both transports.
  const invalid = ['{ nothing }', '{ a a a a a '];
  expect(set.mock.calls.map(([text]) => text.slice(0, 12))).toEqual(invalid.flatMap((text) => [text, text]));
  expect(kept()).toEqual({ documents: 0, characters: 0 });
});
