/** createAnswerHandler in Vercel's Edge Runtime, which has web standards only. */
import { join } from 'node:path';
import { EdgeRuntime } from 'edge-runtime';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { RemoteStore } from '@parley/context';
import { chunksOf, textOf, userMessage } from '../../../packages/context/test/chat-pages.js';
import { startListening } from '../../support/server/listening-server.js';

const EXPORTS = join(import.meta.dirname, '../../../packages/context/src/exports');

/** A route of an application, as a script. */
async function bundled(url: string): Promise<string> {
  const entry = `
    import { RemoteStore } from '${join(EXPORTS, 'context.ts')}';
    import { createAnswerHandler } from '${join(EXPORTS, 'answer.ts')}';
    const stream = () => new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: 't' });
        for (const delta of ['At ', 'the ', 'edge.']) controller.enqueue({ type: 'text-delta', id: 't', delta });
        controller.enqueue({ type: 'text-end', id: 't' });
        controller.close();
      },
    });
    const handler = createAnswerHandler({ store: new RemoteStore({ url: '${url}' }), stream });
    addEventListener('fetch', (event) => event.respondWith(handler(event.request)));`;
  const built = await rolldown({
    input: 'entry',
    platform: 'neutral',
    logLevel: 'silent',
    external: ['ai'],
    resolve: {
      conditionNames: ['@parley/source', 'edge-light', 'import', 'default'],
      extensionAlias: { '.js': ['.ts', '.js'] },
      modules: [join(EXPORTS, '../../node_modules'), join(EXPORTS, '../../../../node_modules')],
    },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? '\0entry.js' : null),
        load: (id) => (id === '\0entry.js' ? entry : null),
      },
    ],
  });
  const { output } = await built.generate({ format: 'iife' });
  await built.close();
  return output[0].code;
}

test('a route in the Edge Runtime saves a question, and streams and saves its answer', async () => {
  const { url } = await startListening({});
  const runtime = new EdgeRuntime({ initialCode: await bundled(url) });
  const response = await runtime.dispatchFetch('https://example.com/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'c', messages: [userMessage('q', 'Where?')] }),
  });
  expect([response.status, textOf(await chunksOf(response as unknown as Response))]).toEqual([200, 'At the edge.']);
  const store = new RemoteStore({ url });
  await expect.poll(async () => (await store.getMessages('c')).length).toBe(2);
});
