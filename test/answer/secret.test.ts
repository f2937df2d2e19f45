/** The secrets of `npm run answer` in variables and files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSecret } from '../../examples/answer/secret.js';
import { temporaryFolder } from '../support/temporary-folder.js';

function fileWith(content: string): string {
  const path = join(temporaryFolder(), 'secret');
  writeFileSync(path, content);
  return path;
}

it.each([
  ['a variable', () => ({ ANSWER_TOKEN: 'token' })],
  ['a file', () => ({ ANSWER_TOKEN_FILE: fileWith('token\r\n') })],
  ['a file beside an empty variable', () => ({ ANSWER_TOKEN: '', ANSWER_TOKEN_FILE: fileWith('token') })],
])('is read from %s', (_, environment) => {
  expect(readSecret(environment(), 'ANSWER_TOKEN')).toBe('token');
});

it('is missing without a variable', () => {
  expect(readSecret({ ANSWER_TOKEN: '', ANSWER_TOKEN_FILE: '' }, 'ANSWER_TOKEN')).toBeUndefined();
});

it.each([
  ['the file is empty', () => ({ ANSWER_TOKEN_FILE: fileWith('\n') })],
  ['more than 65536 bytes', () => ({ ANSWER_TOKEN_FILE: fileWith('x'.repeat(65_537)) })],
  ['ENOENT', () => ({ ANSWER_TOKEN_FILE: join(temporaryFolder(), 'missing') })],
  ['with ANSWER_TOKEN', () => ({ ANSWER_TOKEN: 'token', ANSWER_TOKEN_FILE: fileWith('token') })],
])('is refused when %s', (mistake, environment) => {
  expect(() => readSecret(environment(), 'ANSWER_TOKEN')).toThrow(mistake);
});
