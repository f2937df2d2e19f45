/** The log of refused origins. */
import { expect, it } from 'vitest';
import { postJson } from '../../support/server/http-client.js';
import { startListening } from '../../support/server/listening-server.js';
import { upgradeStatus } from '../../support/server/raw-websocket.js';

async function start() {
  const lines: string[] = [];
  const server = await startListening({ allowedOrigins: ['https://app.example'], log: (line) => lines.push(line) });
  return { ...server, lines };
}

const closeReason = (origin: string) =>
  `A page of ${origin} was refused: to allow its requests, add ${origin} to ALLOWED_ORIGINS`;

const ask = (url: string, headers: Record<string, string>) =>
  postJson(url, { query: '{ viewer { userId } }' }, headers);

it('each origin is logged once with the setting that allows it, for every kind of refusal', async () => {
  const { url, webSocketUrl, lines } = await start();
  for (let times = 0; times < 2; times++) {
    expect(await upgradeStatus(webSocketUrl, { origin: 'https://chat.example' })).toBe(403);
    await ask(url, { origin: 'https://chat.example' });
    await ask(url, { origin: 'http://localhost:5173' });
  }
  expect(lines).toEqual(['https://chat.example', 'http://localhost:5173'].map(closeReason));
});

it("the server's own pages, allowed pages and origins that no setting allows are not logged", async () => {
  const { url, webSocketUrl, lines } = await start();
  const { origin } = new URL(url);
  await upgradeStatus(webSocketUrl, { origin });
  for (const headers of [
    { origin },
    { origin: 'https://app.example' },
    // The origin of a proxy with the server's name.
    { origin: 'https://parley.example', 'sec-fetch-site': 'same-origin' },
    { origin: 'null' },
    { origin: 'https://*.example' },
    { origin: 'https://evil.example/?\tALLOWED' },
  ]) {
    await ask(url, headers).catch(() => undefined);
  }
  expect(lines).toEqual([]);
});

it('a page with ever more origins does not fill the log', async () => {
  const { url, lines } = await start();
  for (let n = 0; n < 30; n++) await ask(url, { origin: `https://n${n}.example` });
  expect(lines).toHaveLength(20);
});
