import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const A = 'a'.repeat(64);
const B = '0123456789abcdef'.repeat(4);

function fileWith(text: string): string {
  const path = join(temporaryFolder(), 'documents.json');
  writeFileSync(path, text);
  return path;
}

const trustedBy = (TRUSTED_DOCUMENTS_MANIFEST: string, TRUSTED_DOCUMENTS = 'only') =>
  readConfig({ TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_MANIFEST }).trustedDocuments;

describe('the manifest of trusted documents', () => {
  it('has documents by their sha256, with or without the name of the algorithm', () => {
    const path = fileWith(JSON.stringify({ [`sha256:${A}`]: '{ a }', [B]: '{ b }' }));
    const documents = new Map([
      [A, '{ a }'],
      [B, '{ b }'],
    ]);
    expect(trustedBy(path)).toEqual({ mode: 'only', documents });
    expect(trustedBy(path, 'allow')).toEqual({ mode: 'allow', documents });
  });

  it('may be empty', () => {
    expect(trustedBy(fileWith('{}'))).toEqual({ mode: 'only', documents: new Map() });
  });

  it('is ignored when the mode is off', () => {
    expect(trustedBy(fileWith('{}'), 'off')).toBeUndefined();
    expect(readConfig({}).trustedDocuments).toBeUndefined();
  });

  it.each([
    ['[]', 'must hold a JSON object of documents by their sha256'],
    ['null', 'must hold a JSON object of documents by their sha256'],
    ['"{}"', 'must hold a JSON object of documents by their sha256'],
    ['{', 'is no JSON: '],
    ['{"__proto__": "{ a }"}', 'has the key "__proto__", which is no sha256 as 64 hexadecimal digits'],
    [`{"md5:${A}": "{ a }"}`, `has the key "md5:${A}", which is no sha256 as 64 hexadecimal digits`],
    [
      `{"${A.toUpperCase()}": "{ a }"}`,
      `has the key "${A.toUpperCase()}", which is no sha256 as 64 hexadecimal digits`,
    ],
    [`{"${A}": {"query": "{ a }"}}`, `has a document that is no text, ${A}`],
  ])('is not %s', (text, mistake) => {
    expect(() => trustedBy(fileWith(text))).toThrow(
      `These settings are wrong:\n  TRUSTED_DOCUMENTS_MANIFEST ${mistake}`,
    );
  });

  it('is a file that can be read', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'documents.json'));
    for (const name of ['none.json', 'documents.json']) {
      expect(() => trustedBy(join(folder, name))).toThrow('TRUSTED_DOCUMENTS_MANIFEST cannot be read: E');
    }
  });
});

describe('the mode of trusted documents', () => {
  it.each(['allow', 'only'])('%s needs a manifest', (TRUSTED_DOCUMENTS) => {
    for (const more of [{}, { TRUSTED_DOCUMENTS_MANIFEST: '' }]) {
      expect(() => readConfig({ TRUSTED_DOCUMENTS, ...more })).toThrow(
        'These settings are wrong:\n  TRUSTED_DOCUMENTS_MANIFEST must name a file of documents, unless TRUSTED_DOCUMENTS is off',
      );
    }
  });

  it('is one of three', () => {
    expect(() => readConfig({ TRUSTED_DOCUMENTS: 'on' })).toThrow('TRUSTED_DOCUMENTS must be off, allow or only');
  });
});
