/** The checks of graphql-cop: the server's answers to anonymous clients. */
import type { FormattedExecutionResult } from 'graphql';
import { describe, expect, it } from 'vitest';
import { postJson } from '../support/server/http-client.js';
import { connectWebSocket, openWebSocket } from '../support/server/raw-websocket.js';
import { disclosures, overloads, suggestion, traces, type Check } from './cop-checks.js';
import { modes, production, type AuditedServer } from './modes.js';

type Headers = Record<string, string>;
type Ask = (server: AuditedServer, headers: Headers, check: Check) => Promise<FormattedExecutionResult>;

const overHttp: Ask = async ({ url }, headers, { document, variables }) => {
  const response = await postJson(url, { query: document, variables }, headers);
  expect(response.status).toBeLessThan(500);
  return (await response.json()) as FormattedExecutionResult;
};

const overWebSocket: Ask = async ({ webSocketUrl }, headers, { document, variables }) => {
  const { ask, socket } = await connectWebSocket(webSocketUrl, { headers });
  const { refused, ...answer } = await ask('1', document, variables);
  socket.close();
  return refused === undefined ? answer : { errors: refused };
};

const transports = { 'over HTTP': overHttp, 'over WebSocket': overWebSocket };

/** The weaknesses that the checks find, by name. */
async function weaknesses(
  ask: (check: Check) => Promise<FormattedExecutionResult>,
  checks: readonly Check[],
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const check of checks) {
    const weakness = check.weakness(await ask(check));
    if (weakness !== null) found[check.name] = weakness;
  }
  return found;
}

const TYPENAME = 'query cop { __typename }';
const MUTATION = 'mutation cop { __typename }';

describe.each(modes)('in $name mode', ({ start }) => {
  describe.each(Object.entries(transports))('%s', (_name, ask) => {
    it('no client can cause expensive work with a cheap request', async () => {
      const server = await start();
      for (const headers of [server.user, server.admin]) {
        expect(await weaknesses((check) => ask(server, headers, check), overloads)).toEqual({});
      }
    });

    it('errors and responses reveal no details of the program', async () => {
      const server = await start();
      expect(await weaknesses((check) => ask(server, server.user, check), traces)).toEqual({});
      expect(server.unexpectedErrors).toEqual(new Map());
    });
  });

  it('a request is one operation, over HTTP', async () => {
    const { url, user } = await start();
    const body = Array.from({ length: 10 }, () => ({ query: TYPENAME }));
    const response = await postJson(url, body, user);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{}, ...[]] });
  });

  it('and a message is one operation, over WebSocket', async () => {
    const { webSocketUrl, user } = await start();
    const one = { type: 'subscribe', id: '1', payload: { query: TYPENAME } };
    const { send, closed } = await connectWebSocket(webSocketUrl, { headers: user });
    send(JSON.stringify(Array.from({ length: 10 }, () => one)));
    expect(await closed).toMatchObject({ code: 4400 });
    const another = await connectWebSocket(webSocketUrl, { headers: user });
    another.send({ ...one, payload: [one.payload, one.payload] });
    expect(await another.closed).toMatchObject({ code: 4400 });
  });

  it('no mutation runs by a link', async () => {
    const { url, user } = await start();
    const response = await fetch(`${url}?${new URLSearchParams({ query: MUTATION })}`, { headers: user });
    expect(response.status).toBe(405);
    expect(await response.json()).not.toHaveProperty('data');
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', ''])(
    'no form can send a request, with %s',
    async (type) => {
      const { url, user } = await start();
      for (const query of [TYPENAME, MUTATION]) {
        for (const body of [
          new URLSearchParams({ query }).toString(),
          JSON.stringify({ query }),
          multipart({ query }),
        ]) {
          const headers = { ...user, 'content-type': type };
          const response = await fetch(url, { method: 'POST', headers, body });
          expect(response.status).toBe(415);
          expect(await response.text()).not.toContain('__typename":');
        }
      }
    },
  );
});

describe('in production mode', () => {
  const { start } = production;

  describe.each(Object.entries(transports))('%s', (_name, ask) => {
    it('only admins can introspect the schema', async () => {
      const server = await start();
      expect(await weaknesses((check) => ask(server, server.user, check), disclosures)).toEqual({});
      const introspection = await weaknesses((check) => ask(server, server.admin, check), disclosures.slice(0, 1));
      expect(introspection).toEqual({ introspection: 'it ran' });
    });

    it('no response suggests names to other users', async () => {
      const server = await start();
      const checks = [...disclosures, ...overloads, ...traces].map((check) => ({ ...check, weakness: suggestion }));
      expect(await weaknesses((check) => ask(server, server.user, check), checks)).toEqual({});
    });
  });

  it('clients without a token learn nothing over HTTP', async () => {
    const server = await start();
    for (const headers of [{}, { authorization: 'Bearer x' }, { cookie: server.user['authorization']! }]) {
      for (const check of [...disclosures, ...overloads, ...traces]) {
        const { data, errors } = await overHttp(server, headers, check);
        expect({ data, codes: errors?.map(({ extensions }) => extensions?.['code']) }, check.name).toEqual({
          data: undefined,
          codes: ['UNAUTHENTICATED'],
        });
      }
    }
  });

  it('nor over WebSocket', async () => {
    const { webSocketUrl } = await start();
    const { send, take, closed } = await openWebSocket(webSocketUrl);
    send({ type: 'connection_init' });
    send({ type: 'subscribe', id: '1', payload: { query: TYPENAME } });
    await expect(take()).rejects.toThrow('The socket has closed');
    expect([4401, 4403]).toContain((await closed).code);
  });

  // Another page can make a browser send a GET request with cookies, but not with a token.
  it('a link on another page runs no operation', async () => {
    const { url, user, admin } = await start();
    const token = admin['authorization']!.replace('Bearer ', '');
    const links = [{}, { access_token: token }, { token }, { authorization: admin['authorization']! }];
    for (const more of links) {
      const link = `${url}?${new URLSearchParams({ query: TYPENAME, ...more })}`;
      for (const accept of ['*/*', 'application/json', 'text/html,*/*;q=0.8', 'text/event-stream', 'image/avif,*/*']) {
        const headers = { accept, cookie: `token=${token}; authorization=${token}` };
        const response = await fetch(link, { headers });
        expect(response.status, accept).toBe(401);
        expect(await response.text()).not.toContain('"data"');
      }
    }
    const own = await fetch(`${url}?${new URLSearchParams({ query: TYPENAME })}`, { headers: user });
    expect(await own.json()).toEqual({ data: { __typename: 'Query' } });
  });
});

function multipart(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--x--\r\n`;
}
