/** Contents that the storage has lost. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

const IMAGE = Buffer.concat([PNG, Buffer.alloc(9_000)]);
const HASH = sha256(IMAGE);

it.each<[string, boolean]>([
  ['an upload', false],
  ['a save of its data URL', true],
])('are restored by %s of the same content', async (_, isDataUrl) => {
  const folder = temporaryFolder();
  const server = await startFileServer({ filesUrl: `file:${folder}` });
  const ann = await server.as('ann');
  await ann.createChat('a');
  await ann.upload(IMAGE);
  await ann.save('a', 'm', withFile(`parley:file:${HASH}`));
  const keys = () => readdirSync(join(folder, HASH.slice(0, 2))).map((name) => `${HASH.slice(0, 2)}/${name}`);
  const [lost] = keys();
  rmSync(join(folder, lost!));
  const state = async () => (await ann.get(`/files?sha256=${HASH}`)).json() as Promise<unknown>;
  expect(await state()).toEqual({ isStored: false, offset: 0 });
  if (isDataUrl) await ann.save('a', 'again', withFile(`data:image/png;base64,${IMAGE.toString('base64')}`));
  else expect((await ann.upload(IMAGE)).status).toBe(201);
  expect(await state()).toEqual({ isStored: true, offset: 0 });
  const read = await ann.get(`/files/${HASH}?message=m`);
  expect(Buffer.from(await read.arrayBuffer())).toEqual(IMAGE);
  const { rows } = await rawDatabase(server.databaseUrl);
  expect(await rows('SELECT "storageKey" FROM file_removals')).toEqual([{ storageKey: lost }]);
  expect(await rows('SELECT "storageKey" FROM files')).toEqual(keys().map((storageKey) => ({ storageKey })));
});
