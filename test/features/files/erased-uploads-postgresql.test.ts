import { expect, it } from 'vitest';
import { bearer } from '../../support/server/tokens.js';
import { breakOff } from './break-off.js';
import { startFileServer } from './file-server.js';

it('an erasure by one server deletes unfinished uploads on another, and no other uploads', async () => {
  const options = { sweepIntervalMs: 3_600_000, log: () => {} };
  const one = await startFileServer(options);
  const other = await startFileServer({ ...options, databaseUrl: one.databaseUrl });
  const [ofErin, ofBob] = [
    await breakOff(other, await other.as('erin'), 'of erin'),
    await breakOff(other, await other.as('bob'), 'of bob'),
  ];
  const headers = await bearer('root', true);
  await (await fetch(one.at('/users?userId=erin'), { method: 'DELETE', headers })).text();
  await expect.poll(ofErin).toBe(0);
  expect(await ofBob()).toBe('of bob'.length);
});
