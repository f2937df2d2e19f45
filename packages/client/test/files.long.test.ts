/** An upload of a file that is too large for WebCrypto. */
import { expect, test } from 'vitest';
import { startListening } from '../../../test/support/server/listening-server.js';
import { startProxy } from '../../../test/support/server/tcp-proxy.js';
import { createFiles } from '../src/files/files.js';

test('an upload of more than 128 MiB starts over after a broken connection', async () => {
  const server = await startListening({ limits: { maxFileBytes: 200_000_000 } });
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const parameters: string[] = [];
  const { uploadFile } = createFiles({
    url: `http://127.0.0.1:${proxy.port}/graphql`,
    retryDelay: () => 10,
    fetch: (address, init) => {
      parameters.push(new URL(address as string).search);
      return fetch(address, init);
    },
  });
  const content = new Uint8Array(128 * 1024 * 1024 + 1).fill(7);
  proxy.cutAfter(8_000_000);
  expect(await uploadFile(new Blob([content]))).toMatchObject({ size: content.length });
  expect(parameters).toEqual(Array(2).fill(`?size=${content.length}&offset=0`));
});
