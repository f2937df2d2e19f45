/** Copies from a SQLite file to another; copy-postgresql.long.test.ts copies from and to PostgreSQL. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { atDatabase, contentOf } from '../../cli/database-content.js';
import { copyFromTo, SAME } from './run-copy.js';
import { expectWorkingCopy } from '../../cli/working-copy.js';
import { ODD_DATA, SAMPLE_CHATS, writeSampleChats } from '../../cli/sample-chats.js';

const files = () => [`file:${temporaryFile()}`, `file:${temporaryFile()}`] as const;

describe('a copy', () => {
  it('has every row of the original, and supports searches and writes', async () => {
    const [from, to] = files();
    await writeSampleChats(from);
    const original = await contentOf(from);
    const { code, out, error } = await copyFromTo(from, to);
    expect({ code, error }).toEqual({ code: 0, error: [] });
    expect(out[0]).toBe(`${SAMPLE_CHATS.length} chats copied (${original.messages.length} messages), 0 there already.`);
    expect(out.at(-1)).toBe(SAME);

    expect(await contentOf(to)).toEqual(original);
    expect(original.messages.find(({ id }) => id === 'odd-1')?.data).toBe(ODD_DATA);
    await expectSoundDatabase(to);
    await expectWorkingCopy(from, to);
  });

  it('reports the number of rows of each table', async () => {
    const [from, to] = files();
    await atDatabase(from, ({ store }) => writeChain(store, 'c', 10));
    expect((await copyFromTo(from, to)).out).toEqual([
      '1 chat copied (10 messages), 0 there already.',
      '  rows                      source      target',
      '  chats                          1           1',
      '  messages                      10          10',
      '  branches                       1           1',
      '  checkpoints                    0           0',
      '  chat_events                    4           4',
      '  message_runs                   0           0',
      '  message_sources                0           0',
      '  message_source_hashes          0           0',
      '  message_texts                 10          10',
      '  drafts                         0           0',
      '  draft_chunks                   0           0',
      '  chat_forks                     0           0',
      '  message_files                  0           0',
      '  user_files                     0           0',
      '  chat_members                   0           0',
      SAME,
    ]);
  });

  it('has the usage of users, and keeps what the target counted further', async () => {
    const [from, to] = files();
    await atDatabase(from, ({ store }) => writeChain(store, 'c', 1));
    const insert = (n: number, messages: number) =>
      `INSERT INTO monthly_usage ("id", "month", "userId", "model", "messages", "inputTokens") VALUES ('${n}', '2026-11', 'u', 'm${n}', ${messages}, 9)`;
    const source = await rawDatabase(from);
    for (const n of [1, 2]) await source.run(insert(n, 10));
    await copyFromTo(from, to);
    const target = await rawDatabase(to);
    const counts = () => target.rows('SELECT "messages", "inputTokens" FROM monthly_usage ORDER BY "id"');
    const copied = { messages: 10, inputTokens: 9 };
    expect(await counts()).toEqual([copied, copied]);
    await target.run(`UPDATE monthly_usage SET "messages" = 11 WHERE "id" = '1'`);
    await source.run(`UPDATE monthly_usage SET "messages" = 12, "inputTokens" = 20 WHERE "id" = '2'`);
    await copyFromTo(from, to);
    expect(await counts()).toEqual([
      { messages: 11, inputTokens: 9 },
      { messages: 12, inputTokens: 20 },
    ]);
  });

  it('of an empty database is empty', async () => {
    const [from, to] = files();
    await atDatabase(from, () => Promise.resolve());
    const { code, out } = await copyFromTo(from, to);
    expect([code, out[0]]).toEqual([0, '0 chats copied (0 messages), 0 there already.']);
  });

  it('does not change a byte of the original', async () => {
    const [from, to] = files();
    await writeSampleChats(from);
    const bytes = () =>
      createHash('sha256')
        .update(readFileSync(from.slice('file:'.length)))
        .digest('hex');
    const before = bytes();
    expect((await copyFromTo(from, to)).code).toBe(0);
    expect(bytes()).toBe(before);
  });

  it('changes nothing in a second run', async () => {
    const [from, to] = files();
    await writeSampleChats(from);
    await copyFromTo(from, to);
    const before = await contentOf(to);
    const { code, out } = await copyFromTo(from, to);
    expect([code, out[0], out.at(-1)]).toEqual([
      0,
      `0 chats copied (0 messages), ${SAMPLE_CHATS.length} there already.`,
      SAME,
    ]);
    expect(await contentOf(to)).toEqual(before);
  });

  it('copies a chat of 10,000 messages', async () => {
    const [from, to] = files();
    await atDatabase(from, ({ store }) => writeChain(store, 'c', 10_000));
    expect(await copyFromTo(from, to)).toMatchObject({ code: 0, error: [] });
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });
});
