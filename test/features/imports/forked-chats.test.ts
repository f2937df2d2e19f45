/** Forks in files of Parley's format and in copies of databases: a source outside a fork is only a hash. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { forkChat } from '../../../src/features/forks/fork-chat.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { copyStatements } from '../../../src/features/copies/statements.js';
import { atDatabase } from '../../cli/database-content.js';
import { copyFromTo, SAME } from '../copies/run-copy.js';
import { expectVerified } from '../../support/chats/forks.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { exportFrom, importTo } from '../exports/run-export.js';
import { linesAt, type Lines } from './forged/forged-files.js';

const database = () => `file:${temporaryFile()}`;

interface MessageLine {
  message?: { id: string; sourceIds?: string[]; sourceHashes?: { position: number; hash: string }[] };
}

/** A chat c and its fork, whose last message draws on two messages of the fork and one of c. */
async function forkedDatabase(): Promise<{ from: string; lines: Lines }> {
  const from = database();
  await atDatabase(from, async ({ store }) => {
    await createChat(store, VIEWER, { id: 'c' });
    const message = (id: string) => ({ id, name: 'user', content: { text: id } });
    const root = [message('m1'), message('m2')];
    await saveMessages(store, VIEWER, { chatId: 'c', messages: root });
    await saveMessages(store, VIEWER, { chatId: 'c', messages: [message('s2')], parentId: 'm1' });
    const merge = { ...message('merge'), sourceIds: ['m1', 's2', 'm2'] };
    await saveMessages(store, VIEWER, { chatId: 'c', messages: [merge], branch: 'main' });
    await forkChat(store, VIEWER, { chatId: 'c', messageId: 'merge', id: 'fork' });
  });
  return { from, lines: await linesAt(from, 'fork') };
}

const hashes = (url: string) =>
  atDatabase(url, async ({ reads }) => {
    const keys = [1, 2, 3].map((seq) => ({ chatId: 'fork', seq }));
    return {
      of: await reads.sourceHashes(keys),
      sources: (await reads.sources(keys)).map((each) => each.map(({ seq }) => seq)),
    };
  });

test('an import of an exported fork has equal hashes', async () => {
  const { from, lines } = await forkedDatabase();
  const merge = (lines as MessageLine[]).find(({ message }) => message?.sourceHashes !== undefined)!.message!;
  expect(merge.sourceIds!.length).toBe(2);
  expect(merge.sourceHashes).toMatchObject([{ position: 1 }]);
  const [to, path] = [database(), `${temporaryFile()}.jsonl`];
  await exportFrom(from, path, '--chat', 'fork');
  expect(await importTo(to, path)).toMatchObject({ code: 0, error: [] });
  expect(await hashes(to)).toEqual(await hashes(from));
  expect((await hashes(to)).sources).toEqual([[], [], [1, 2]]);
  await expectVerified(to);
  // A repeated import finds no difference.
  expect((await importTo(to, path)).out[0]).toContain('1 unchanged');
});

test('a copy of the database keeps the origin and the hashes', async () => {
  const { from } = await forkedDatabase();
  const to = database();
  expect((await copyFromTo(from, to)).out.at(-1)).toBe(SAME);
  expect(await hashes(to)).toEqual(await hashes(from));
  const originOf = (id: string) =>
    atDatabase(to, ({ connection: { sql, read } }) =>
      read((db) => db.rows(copyStatements(sql.differences).copiedRows('chat_forks', id))),
    );
  expect(await originOf('fork')).toEqual([{ chatId: 'fork', fromChatId: 'c', fromMessageId: 'merge' }]);
  expect(await originOf('c')).toEqual([]);
  await expectVerified(to);
});

test('an import refuses source hashes of another form, or at positions with gaps', async () => {
  const { lines } = await forkedDatabase();
  const hash = 'a'.repeat(64);
  const refused = [
    ['that are no list', { position: 1, hash }],
    ['that are no objects', [hash]],
    ['without a position', [{ hash }]],
    ['at a position after a gap', [{ position: 3, hash }]],
    [
      'at a position twice',
      [
        { position: 1, hash },
        { position: 1, hash },
      ],
    ],
    ['at a negative position', [{ position: -1, hash }]],
    ['of another length', [{ position: 1, hash: 'a'.repeat(63) }]],
    ['in capitals', [{ position: 1, hash: 'A'.repeat(64) }]],
    ['that are more than 16 with the sources', Array.from({ length: 15 }, (_, position) => ({ position, hash }))],
  ] as const;
  for (const [what, sourceHashes] of refused) {
    const path = `${temporaryFile()}.jsonl`;
    const changed = (lines as MessageLine[]).map((line) =>
      line.message?.sourceHashes === undefined ? line : { message: { ...line.message, sourceHashes } },
    );
    writeFileSync(path, changed.map((line) => JSON.stringify(line)).join('\n'));
    const { code, out, error } = await importTo(database(), path);
    expect(code, what).toBe(1);
    expect([...out, ...error].join('\n'), what).toMatch(/source/);
  }
});
