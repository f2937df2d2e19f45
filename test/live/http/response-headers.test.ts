/** Headers of every response, for browsers and proxies. */
import { describe, expect, it } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH } from '../../support/server/tokens.js';

const QUERY = { method: 'POST', body: JSON.stringify({ query: '{ viewer { userId } }' }) };
const FOLLOW = 'subscription { chatEvents(chatId: "none") { seq } }';
const SUBSCRIPTION = JSON.stringify({ query: FOLLOW });
const JSON_BODY = { 'content-type': 'application/json' };
const STREAM = { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' };

describe('every response', () => {
  it.each([
    ['to a query', '/graphql', { ...QUERY, headers: JSON_BODY }, 200],
    ['to a query, as a stream', '/graphql', { ...QUERY, headers: { ...JSON_BODY, ...STREAM } }, 200],
    [
      'to a subscription',
      '/graphql',
      { method: 'POST', body: SUBSCRIPTION, headers: { ...JSON_BODY, ...STREAM } },
      200,
    ],
    ['to a subscription, by GET', `/graphql?query=${encodeURIComponent(FOLLOW)}`, { headers: STREAM }, 200],
    ['to an invalid document', '/graphql', { method: 'POST', body: '{"query":"{"}', headers: JSON_BODY }, 200],
    ['to a body that is not JSON', '/graphql', { ...QUERY, headers: { 'content-type': 'text/plain' } }, 415],
    ['to an unsupported method', '/graphql', { method: 'DELETE' }, 405],
    ['of health', '/health/ready', {}, 200],
    ['of metrics', '/metrics', {}, 200],
    ['from nowhere', '/nowhere', {}, 404],
    // The path is `//`.
    ['with a target that is no URL', '/..//', {}, 404],
  ])('%s is not cached, sniffed or framed, and does not reveal the server', async (_, path, init, status) => {
    const { url } = await startListening();
    const response = await fetch(new URL(path, url), init);
    expect(response.status).toBe(status);
    await response.arrayBuffer();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: expect.stringContaining('Origin') as string,
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    for (const banner of ['server', 'x-powered-by']) expect(response.headers.get(banner)).toBeNull();
  });
});

describe('a page of another origin', () => {
  const preflight = (url: string, origin: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it('may send requests when its origin is allowed: with its own token, and without cookies', async () => {
    const allowedOrigins = ['https://chat.example', 'https://app.example'];
    const { url } = await startListening({ auth: AUTH, allowedOrigins });
    for (const origin of allowedOrigins) {
      const { status, headers } = await preflight(url, origin);
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-allow-headers')).toMatch(/\bauthorization\b.*\bcontent-type\b/);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      // Browsers must be able to read error responses, too.
      const refused = await fetch(url, { ...QUERY, headers: { ...JSON_BODY, origin } });
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    }
  });

  it.each([['https://evil.example'], ['null'], ['https://chat.example.evil.example'], ['http://chat.example']])(
    'is not allowed by CORS when it is of %s',
    async (origin) => {
      for (const allowedOrigins of [[], ['https://chat.example'], ['https://chat.example', 'https://app.example']]) {
        const { url } = await startListening({ allowedOrigins });
        const asked = await fetch(url, { ...QUERY, headers: { ...JSON_BODY, origin } });
        for (const { headers } of [await preflight(url, origin), asked]) {
          const corsHeaders = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
          expect(corsHeaders).toEqual([]);
        }
      }
    },
  );
});
