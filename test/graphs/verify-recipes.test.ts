/** The programs of docs/graphs.md that verify a chat. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_JSON_DEPTH } from '@parley/interchange/limits';
import { startListening } from '../support/server/listening-server.js';
import { damagingDatabase } from '../support/database/raw-database.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const page = readFileSync('docs/graphs.md', 'utf8');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const PROGRAMS = [
  ['js', 'verify.mjs', process.execPath],
  ['python', 'verify.py', 'python3'],
] as const;

/** Numbers, texts and structures that programs write differently. */
const DATA: readonly unknown[] = [
  [1e21, 1e-7, -0, 0, 1e20, 123456789012345680000, 0.000001, 1.5e300, 5e-324, -1.25, 333333333.3333333, 100, 2 ** 53],
  {
    id: 'left out',
    '10': 1,
    '9': 2,
    '': 3,
    '-': { id: 'kept', ['__proto__']: null },
    é: 4,
    '😀': 5,
    '\ufb33': 6,
    '\u20ac': 7,
  },
  'é "quoted" \\ \n \t \u0001 \u007f \u2028 😀',
  Array.from({ length: MAX_JSON_DEPTH - 1 }).reduce((inner) => [inner], [] as unknown),
  Array.from({ length: MAX_JSON_DEPTH - 1 }).reduce((inner) => ({ id: inner }), {} as unknown),
  true,
  { parts: [{ type: 'text', text: 'hello' }], nothing: null },
];

describe.each(PROGRAMS)('the program in %s', (language, name, command) => {
  // Without python3 on the path, the test is skipped.
  test.skipIf(command === 'python3' && !hasPython)(
    'verifies all messages of a chat, and finds a changed one',
    async () => {
      const databaseUrl = temporaryDatabaseUrl();
      const { url, ask } = await startListening({ databaseUrl });
      const save = async (messages: object[], more = '') => {
        const document = `mutation ($messages: [MessageInput!]!) {
          saveMessages(input: { chatId: "c", messages: $messages ${more} }) { __typename ... on Error { message } } }`;
        return (await ask(document, { messages })).data!['saveMessages'];
      };
      await ask('mutation { createChat(input: { id: "c" }) { __typename } }');
      const messages = DATA.map((data, n) => ({ id: `m${n}`, name: n % 2 ? 'assistant' : 'user', content: { data } }));
      expect(await save(messages)).toEqual({ __typename: 'SaveMessagesPayload' });
      const other = { id: 'other', name: 'user', content: { text: 'other' } };
      await save([other], ', at: { message: "m1" }');
      const merge = { id: 'merge', name: 'user', content: { text: 'both' }, sourceIds: ['m6', 'other', 'm2'] };
      expect(await save([merge])).toEqual({ __typename: 'SaveMessagesPayload' });
      expect(await save([{ id: 'x', name: 'user', content: { data: '\ud800' } }])).toEqual({
        __typename: 'InvalidInputError',
        message: 'messages.0.content.data must not contain a lone surrogate',
      });

      const program = join(temporaryFolder(), name);
      writeFileSync(program, page.split(`\`\`\`${language} ${name}\n`)[1]!.split('\n```')[0]!);
      // Not spawnSync: the server runs in this process.
      const run = (chatId = 'c') =>
        new Promise<string>((resolve) =>
          execFile(command, [program, new URL('/graphql', url).href, chatId], (_, out, error) => resolve(out + error)),
        );
      expect(await run()).toBe(`${DATA.length + 2} messages, 0 with another hash: []\n`);
      await ask('mutation { forkChat(input: { chatId: "c", id: "f" }) { __typename } }');
      // m0, m1, other and merge, of whose sources it has one.
      expect(await run('f')).toBe('4 messages, 0 with another hash: []\n');
      await (await damagingDatabase(databaseUrl)).run(`UPDATE messages SET "name" = 'system' WHERE "id" = 'm5'`);
      expect(await run()).toBe(
        `${DATA.length + 2} messages, 3 with another hash: ["m5", "m6", "merge"]\n`.replaceAll(
          ', "',
          language === 'js' ? ',"' : ', "',
        ),
      );
    },
  );
});
