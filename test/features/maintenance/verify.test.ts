import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { command } from '../../../src/features/maintenance/verify-command.js';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { damagingDatabase, rawDatabase } from '../../support/database/raw-database.js';
import { startListening } from '../../support/server/listening-server.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { startWriting } from './writing-client.js';
import { atDatabase } from '../../cli/database-content.js';
import { runHere } from '../../cli/run-here.js';

/** More messages than a step of 2,000. */
const MESSAGES = 2_100;

let url: string;
beforeEach(async () => {
  url = `file:${temporaryFile()}`;
  await atDatabase(url, async ({ store }) => {
    await createChat(store, VIEWER, { id: 'c' });
    for (let start = 0; start < MESSAGES; start += 420) {
      const messages = Array.from({ length: 420 }, (_, n) => {
        const metadata = { usage: { inputTokens: n } };
        return { id: `m${start + n}`, name: 'user', content: { data: { metadata } } };
      });
      await saveMessages(store, VIEWER, { chatId: 'c', messages });
    }
    const merge = { id: 'merge', name: 'user', content: { text: 'both' }, sourceIds: ['m7', 'm5'] };
    await saveMessages(store, VIEWER, { chatId: 'c', messages: [merge] });
  });
});

const run = () => runHere('verify', command, [], { environment: { DATABASE_URL: url } });
const damage = async (sql: string) => (await damagingDatabase(url)).run(sql);
const HASH = 'contentHash is not that of its content, parent and sources';

describe('npm run verify', () => {
  it('exits with 0 when every hash is correct', async () => {
    expect(await run()).toEqual({ code: 0, out: ['2101 rows checked: no findings.'], error: [] });
  });

  it('exits with 1 and names the file after a change of a content', async () => {
    const databaseUrl = `file:${temporaryFile()}`;
    const server = await startListening({ databaseUrl });
    const client = startWriting(server.url);
    await client.reaches(3);
    await client.stop();
    await server.stop();
    const verify = () => runHere('verify', command, [], { environment: { DATABASE_URL: databaseUrl } });
    expect(await verify()).toMatchObject({ code: 0, error: [] });
    const [file] = await (
      await rawDatabase(databaseUrl)
    ).rows<{ id: string; size: number; storageKey: string }>('SELECT * FROM files LIMIT 1');
    writeFileSync(join(`${databaseUrl.slice('file:'.length)}.files`, file!.storageKey), 'x'.repeat(file!.size));
    expect(await verify()).toMatchObject({
      code: 1,
      error: [`files id="${file!.id}" size=${file!.size}: its content does not match its hash`],
    });
  });

  it.each([
    ['data', `UPDATE messages SET "data" = '{"metadata":{"usage":{"inputTokens":3}},"x":1}' WHERE "id" = 'm3'`, HASH],
    ['a name', `UPDATE messages SET "name" = 'system' WHERE "id" = 'm3'`, HASH],
    ['a time', `UPDATE messages SET "createdAt" = "createdAt" + 1 WHERE "id" = 'm3'`, HASH],
    ['usage', `UPDATE messages SET "usage" = '[]' WHERE "id" = 'm3'`, 'usage is not the sum over its path'],
    ['data that is not JSON', `UPDATE messages SET "data" = '{' WHERE "id" = 'm3'`, 'data is not JSON'],
  ])('exits with 1 and names the message after a change of %s', async (_, sql, problem) => {
    await damage(sql);
    const { code, error } = await run();
    expect(code).toBe(1);
    expect(error).toContain(`messages chatId="c" seq=4 id="m3": ${problem}`);
  });

  it('finds a replaced hash at the message, its child and the message that draws on it', async () => {
    await damage(`UPDATE messages SET "contentHash" = '${'0'.repeat(64)}' WHERE "id" = 'm7'`);
    expect(await run()).toEqual({
      code: 1,
      out: ['2101 rows checked: 3 findings.'],
      error: ['seq=8 id="m7"', 'seq=9 id="m8"', 'seq=2101 id="merge"'].map(
        (at) => `messages chatId="c" ${at}: ${HASH}`,
      ),
    });
  });

  it('prints the number of messages whose hash is not computed yet', async () => {
    await damage(`UPDATE messages SET "contentHash" = NULL, "usage" = NULL WHERE "seq" > 2000`);
    expect(await run()).toEqual({
      code: 0,
      out: ['101 messages have no hash yet: a running server computes them.', '2101 rows checked: no findings.'],
      error: [],
    });
  });
});
