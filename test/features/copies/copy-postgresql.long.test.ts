/** Copies between a SQLite file and PostgreSQL. */
import { describe, expect, it } from 'vitest';
import { PNG, sha256, startFileServer, withFile } from '../files/file-server.js';
import { sweepFiles } from '../files/sweep.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { startCopy } from './copy-process.js';
import { atDatabase, contentOf } from '../../cli/database-content.js';
import { copyFromTo, SAME } from './run-copy.js';
import { SAMPLE_CHATS, writeSampleChats } from '../../cli/sample-chats.js';
import { expectWorkingCopy } from '../../cli/working-copy.js';

/** Copies a whole database, and expects a sound copy. */
async function copyAll(from: string, to: string): Promise<void> {
  const { code, out, error } = await copyFromTo(from, to);
  expect({ code, error, last: out.at(-1) }).toEqual({ code: 0, error: [], last: SAME });
  await expectSoundDatabase(to);
}

describe('a copy from SQLite to PostgreSQL, and back', () => {
  it('has every row of the original, and supports searches and writes', async () => {
    const [first, second, third] = [`file:${temporaryFile()}`, temporaryDatabaseUrl(), `file:${temporaryFile()}`];
    await writeSampleChats(first);
    const original = await contentOf(first);
    for (const [from, to] of [
      [first, second],
      [second, third],
    ] as const) {
      await copyAll(from, to);
      expect(await contentOf(to)).toEqual(original);
    }
    const again = await copyFromTo(first, second);
    expect(again.out[0]).toBe(`0 chats copied (0 messages), ${SAMPLE_CHATS.length} there already.`);
    await expectWorkingCopy(first, second);
  });

  it('has the files of the original, whose contents move between a folder and the database', async () => {
    const [first, second, third] = [`file:${temporaryFile()}`, temporaryDatabaseUrl(), `file:${temporaryFile()}`];
    const server = await startFileServer({ databaseUrl: first });
    const ann = await server.as('ann');
    await ann.createChat('a');
    await ann.upload(PNG);
    await ann.save('a', 'm', withFile(`parley:file:${sha256(PNG)}`));
    await server.stop();
    for (const [from, to] of [
      [first, second],
      [second, third],
    ] as const) {
      await copyAll(from, to);
      expect(await sweepFiles(to)).toEqual([sha256(PNG)]);
      const copied = await startFileServer({ databaseUrl: to });
      const read = await (await copied.as('ann')).get(`/files/${sha256(PNG)}?message=m`);
      expect(Buffer.from(await read.arrayBuffer())).toEqual(PNG);
      await copied.stop();
    }
  });

  it('continues after it was killed', async () => {
    const [from, to] = [`file:${temporaryFile()}`, temporaryDatabaseUrl()];
    await atDatabase(from, async ({ store }) => {
      for (const chatId of ['a', 'b', 'c', 'd']) await writeChain(store, chatId, chatId < 'c' ? 3 : 5_000);
    });
    await atDatabase(to, async ({ reads }) => {
      const process = startCopy(from, to);
      // During the third chat.
      while ((await reads.chatCount({ userId: null, metadata: [] })) < 2);
      process.kill();
      expect((await process.exited).signal).toBe('SIGKILL');
    });
    const again = await startCopy(from, to).exited;
    expect(again).toMatchObject({ code: 0, error: [] });
    // A running COMMIT may complete after its process was killed.
    expect(again.out[0]).toMatch(/^(2 chats copied .*, 2|1 chat copied .*, 3) there already\.$/);
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });
});
