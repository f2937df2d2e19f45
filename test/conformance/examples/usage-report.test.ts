/** examples/usage-report: in this repository, and in an empty folder with the packed package. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { connect } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { npmInstall } from '../../package/npm-install.js';
import { packAll, PROJECT } from '../../package/packed.js';
import { prebuiltSqlite } from '../../package/prebuilt-sqlite.js';
import { outputOf, run } from '../../package/run.js';
import { startPostgresql, type EmbeddedPostgresql } from '../../support/database/embedded-postgresql.js';

/** More than a batch of the report. */
const QUESTIONS = 1001;
const REPORT = `month,user,model,messages,inputTokens,outputTokens
2025-12,ada,,${QUESTIONS},0,0
2025-12,ada,small,2,30,7
2026-01,ada,large,1,5,5
2026-01,"bob, the ""second""",small,1,0,0
`;

const folder = mkdtempSync(join(tmpdir(), 'parley-usage-'));
let server: EmbeddedPostgresql;
let urls: Record<'sqlite' | 'postgresql', string>;

beforeAll(async () => {
  server = await startPostgresql();
  urls = { sqlite: `file:${join(folder, 'parley.db')}`, postgresql: `${server.url}?schema=usage` };
  for (const url of Object.values(urls)) await fill(url);
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the messages of the report; the older ones are in December in UTC. */
async function fill(url: string): Promise<void> {
  const { connection } = await connect(url, { migrate: true });
  const store = new DatabaseStore(connection);
  const save = async (chatId: string, name: string, values: [id: string, metadata?: object][]) => {
    const messages = values.map(([id, metadata]) => ({
      ...{ id, name, type: 'message' },
      content: { data: { id, role: name, parts: [], ...(metadata && { metadata }) } },
    }));
    for (let n = 0; n < messages.length; n += 500) {
      await saveMessages(store, { userId: 'any', isAdmin: true }, { chatId, messages: messages.slice(n, n + 500) });
    }
  };
  for (const [id, userId] of [
    ['a', 'ada'],
    ['b', 'bob, the "second"'],
  ] as const) {
    await createChat(store, { userId, isAdmin: false }, { id });
  }
  await save(
    'a',
    'user',
    Array.from({ length: QUESTIONS }, (_, n) => [`old-q${n}`]),
  );
  const usage = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
  await save('a', 'assistant', [
    ['old-a1', { model: 'small', ...usage(10, 3) }],
    ['old-a2', { model: 'small', ...usage(20, 4) }],
    ['new-a3', { model: 'large', ...usage(5, 5) }],
  ]);
  await save('b', 'assistant', [['new-b1', { model: 'small' }]]);
  const messages = raw(url.startsWith('file:') ? '"messages"' : '"usage"."messages"');
  await connection.write('a', async (tx) => {
    await tx.run(sql`UPDATE ${messages} SET "createdAt" = ${Date.UTC(2026, 0, 1)}`);
    await tx.run(sql`UPDATE ${messages} SET "createdAt" = ${Date.UTC(2026, 0, 1) - 1} WHERE "id" LIKE 'old-%'`);
  });
  await connection.close();
}

test.each(['sqlite', 'postgresql'] as const)('npm run example:usage reports of %s', async (provider) => {
  expect(await outputOf('npm', ['run', '--silent', 'example:usage'], PROJECT, { DATABASE_URL: urls[provider] })).toBe(
    REPORT,
  );
});

describe('in an empty folder, with the packed package', () => {
  const own = join(folder, 'usage-report');
  let missing: string | undefined;

  beforeAll(async () => {
    const tarball = await packAll(join(folder, 'parley'));
    const sqlite = await prebuiltSqlite(join(folder, 'prebuilt'));
    cpSync(join(PROJECT, 'examples/usage-report'), own, {
      recursive: true,
      filter: (path) => !path.endsWith('node_modules'),
    });
    ({ missing } = await npmInstall(['npm', 'install', tarball('parley')], own, sqlite));
  });

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each(['sqlite', 'postgresql'] as const)('npm start reports of %s', async (provider) => {
    expect(await outputOf('npm', ['start', '--silent'], own, { DATABASE_URL: urls[provider] })).toBe(REPORT);
  });

  test('the types of parley/prisma omit the operations that write', async () => {
    writeFileSync(
      join(own, 'types.ts'),
      `import { prismaClient, type PrismaReader } from 'parley/prisma';
const prisma: PrismaReader = await prismaClient('file:parley.db');
const [branch] = await prisma.branch.findMany({ include: { chat: { select: { userId: true } } } });
export const owner: string | undefined = branch?.chat.userId;
export const counted: [number, { id: string }[]] = await prisma.$transaction([
  prisma.message.count({ where: { chat: { userId: 'ada' } } }),
  prisma.chat.findMany({ select: { id: true } }),
]);
// @ts-expect-error A message has no such column.
await prisma.message.findMany({ where: { missing: 1 } });
// @ts-expect-error The client only reads.
await prisma.chat.deleteMany();
// @ts-expect-error The client only reads.
await prisma.$transaction((tx) => tx.chat.deleteMany());
`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--ignoreConfig'];
    const typeRoots = ['--types', 'node', '--typeRoots', join(PROJECT, 'node_modules/@types')];
    const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc');
    const args = [compiler, ...options, ...typeRoots, 'types.ts'];
    expect(await run(process.execPath, args, own)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
