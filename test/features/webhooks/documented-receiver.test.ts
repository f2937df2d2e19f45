/** The receiver of docs/administration/webhooks.md, in a process. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openParley } from '../../support/server/parley.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { newSecret, webhookTo } from './receiver.js';

const [, PROGRAM = ''] =
  /```js\n(\/\/ receiver\.mjs\n.*?)```/s.exec(
    readFileSync(new URL('../../../docs/administration/webhooks.md', import.meta.url), 'utf8'),
  ) ?? [];

it('verifies, handles each event once, and refuses other requests', async () => {
  const path = join(temporaryFolder(), 'receiver.mjs');
  writeFileSync(path, PROGRAM);
  const secret = newSecret();
  const receiver = spawn(process.execPath, [path], { env: { WEBHOOK_SECRET: secret, PORT: '0' } });
  onTestFinished(() => void receiver.kill('SIGKILL'));
  let output = '';
  for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', (text) => (output += String(text)));
  await expect.poll(() => output).toMatch(/^Listening on \d+\n/);
  const url = `http://127.0.0.1:${/\d+/.exec(output)?.[0]}/`;

  const parley = await openParley({
    webhooks: [webhookTo({ url }, { secrets: [newSecret(), secret], events: ['chat.created'] })],
  });
  await parley.ask('mutation { createChat(input: { id: "a" }) { __typename } }');
  const states = async () =>
    JSON.stringify((await parley.ask('{ webhookDeliveries { edges { node { state } } } }')).data);
  await expect.poll(states).toContain('DELIVERED');
  await parley.ask('mutation { createChat(input: { id: "b" }) { __typename } }');
  await expect.poll(() => output).toContain('chat.created of chat b, version 1\n');
  expect(output.match(/chat\.created of chat a/g)).toHaveLength(1);
  const { data } = await parley.ask('{ webhookDeliveries { edges { node { id } } } }');
  const { edges } = data?.['webhookDeliveries'] as { edges: { node: { id: string } }[] };
  const ids = edges.map(({ node }) => `"${node.id}"`).join();
  await expect.poll(states).not.toContain('PENDING');
  await parley.ask(`mutation { replayWebhookDeliveries(input: { webhook: "hook", ids: [${ids}] }) { __typename } }`);
  await expect.poll(states).not.toContain('PENDING');
  expect(output.match(/chat\.created/g)).toHaveLength(2);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
});
