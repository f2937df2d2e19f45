/** SIGKILL while digests are computed: the next process continues, and no message is counted twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { fillDigests } from '../../../src/database/writing/fill-digests.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { tableAt } from '../../support/database/all-rows.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

const KILLS = 10;
const MESSAGES = 4_000;

const built = (name: string) => JSON.stringify(new URL(`../../../dist/${name}.js`, import.meta.url).href);
const FILL = `
  import ${built('features/all-forms')};
  import { connect } from ${built('database/opening/open')};
  import { fillDigests } from ${built('database/writing/fill-digests')};
  const { connection } = await connect(process.argv[1], { migrate: false });
  await fillDigests(connection);
  await connection.close();`;

it('is continued by the next process, with the same sums', async () => {
  const { url, store, connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  await createChat(store, VIEWER, { id: 'c' });
  for (let n = 0; n < MESSAGES; n += 500) {
    const messages = Array.from({ length: 500 }, (_, index) => ({
      id: `m${n + index}`,
      name: 'assistant',
      content: { data: { metadata: { model: 'm', usage: { inputTokens: n + index } } } },
    }));
    await saveMessages(store, VIEWER, { chatId: 'c', messages });
  }
  const database = await rawDatabase(url);
  const [messagesTable, chatsTable] = ['messages', 'chats'].map((table) => tableAt(url, table).sql);
  const digests = async () => ({
    messages: await database.rows(
      `SELECT "id" AS "id", "contentHash" AS "contentHash", "usage" AS "usage" FROM ${messagesTable} ORDER BY "id"`,
    ),
    chats: await database.rows(`SELECT "id" AS "id", "usage" AS "usage" FROM ${chatsTable}`),
  });
  const before = await digests();
  expect(before.messages).toHaveLength(MESSAGES);

  await database.run(`UPDATE messages SET "contentHash" = NULL, "usage" = NULL`);
  await database.run(`UPDATE chats SET "usage" = NULL`);
  const filled = async () => {
    const [row] = await database.rows<{ n: string | number }>(`SELECT count("contentHash") AS n FROM ${messagesTable}`);
    return Number(row!.n);
  };
  for (let kills = 0; kills < KILLS; kills++) {
    const atStart = await filled();
    const child = spawn(process.execPath, ['--input-type=module', '-e', FILL, url], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    while ((await filled()) === atStart) await nextTurn();
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  }
  expect(await filled()).toBeLessThan(MESSAGES);
  await fillDigests(connection);
  expect(await digests()).toEqual(before);
});
