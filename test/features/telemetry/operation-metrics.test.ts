/** Metrics of operations: counts, names, durations and statements. */
import { describe, expect, it } from 'vitest';
import { BoundedValues } from '../../../src/features/telemetry/metrics.js';
import type { OperationEntry } from '../../../src/operation-entry.js';
import { freePort } from '../../support/server/free-port.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { operations, seriesAt, startMeasured } from './measured-server.js';

const total = (type: string, name: string, code: string) =>
  `parley_operations_total{type="${type}",name="${name}",code="${code}"}`;

describe('operations are counted by type, name and code', () => {
  const documents: [document: string, label: string][] = [
    ['query Mine { viewer { userId } }', total('query', 'Mine', 'OK')],
    ['{ viewer { userId } }', total('query', 'anonymous', 'OK')],
    ['mutation Make { createChat(input: { id: "c" }) { __typename } }', total('mutation', 'Make', 'OK')],
    ['query Page { chats(first: -1) { edges { node { id } } } }', total('query', 'Page', 'BAD_USER_INPUT')],
    ['query ($n: Int!) { chats(first: $n) { edges { node { id } } } }', total('query', 'anonymous', 'BAD_USER_INPUT')],
    ['query Refused { nothing }', total('query', 'other', 'GRAPHQL_VALIDATION_FAILED')],
    ['query Refused {', total('unknown', 'other', 'GRAPHQL_PARSE_FAILED')],
    ['subscription Follow { chatEvents(chatId: "none") { seq } }', total('subscription', 'Follow', 'NOT_FOUND')],
  ];
  const expected = Object.fromEntries(documents.map(([, label]) => [label, 1]));

  it('over HTTP', async () => {
    const { ask, series } = await startMeasured();
    for (const [document] of documents) await ask(document);
    expect(operations(await series())).toEqual(expected);
  });

  it('over WebSocket', async () => {
    const { webSocketUrl, series } = await startMeasured();
    const socket = await connectWebSocket(webSocketUrl);
    for (const [n, [document]] of documents.entries()) await socket.ask(String(n), document);
    expect(operations(await series())).toEqual(expected);
  });

  it('with the code of a request that was refused before parsing', async () => {
    const { url, series } = await startMeasured({ auth: AUTH });
    const body = JSON.stringify({ query: '{ viewer { userId } }' });
    const json = { 'content-type': 'application/json' };
    const statuses = [
      await fetch(url, { method: 'POST', headers: json, body }),
      await fetch(url, { method: 'POST', headers: await bearer('u'), body }),
      await fetch(`${url}?query={__typename}&variables=x`, { headers: await bearer('u') }),
      await fetch(url, { headers: { ...(await bearer('u')), accept: 'text/html' } }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 415, 400, 403]);
    const page = new URL('/metrics', url);
    const text = await (await fetch(page, { headers: await bearer('a', true) })).text();
    expect(text).toContain(`${total('unknown', 'other', 'UNAUTHENTICATED')} 1\n`);
    for (const code of ['UNSUPPORTED_MEDIA_TYPE', 'BAD_REQUEST', 'FORBIDDEN']) {
      expect(text).toContain(`${total('unknown', 'other', code)} 1\n`);
    }
    expect((await series()).size).toBe(0);
  });

  it('with the code of a failed token check, and the id of its log line', async () => {
    const [jwksPort, metricsPort] = [await freePort(), await freePort()];
    const entries: OperationEntry[] = [];
    const { url, unexpectedErrors } = await startMeasured({
      auth: { jwksUrl: `http://127.0.0.1:${jwksPort}/keys` },
      metricsPort,
      logOperation: (entry) => entries.push(entry),
    });
    const header = Buffer.from('{"alg":"RS256"}').toString('base64url');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${header}.e30.x` };
    const { status } = await fetch(url, { method: 'POST', headers, body: '{"query":"{ viewer { userId } }"}' });
    expect(status).toBe(503);
    const code = 'AUTHENTICATION_UNAVAILABLE';
    const counted = await seriesAt(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(operations(counted)).toEqual({ [total('unknown', 'other', code)]: 1 });
    expect(entries).toMatchObject([{ code, errorIds: [...unexpectedErrors.keys()], hasRun: false }]);
    expect(unexpectedErrors.size).toBe(1);
  });
});

it('names of executed operations have a series each up to 200, and then one for all others', async () => {
  const { ask, series } = await startMeasured();
  await Promise.all(Array.from({ length: 30 }, (_, n) => ask(`query Refused${n} { nothing }`)));
  for (let n = 0; n < 205; n++) await ask(`query Name${n} { viewer { userId } }`);
  await ask('query Name0 { viewer { userId } }');
  const counted = operations(await series());
  expect(counted[total('query', 'Name0', 'OK')]).toBe(2);
  expect(counted[total('query', 'Name199', 'OK')]).toBe(1);
  expect(counted[total('query', 'other', 'OK')]).toBe(5);
  expect(counted[total('query', 'other', 'GRAPHQL_VALIDATION_FAILED')]).toBe(30);
  expect(Object.keys(counted)).toHaveLength(202);
});

it('a very long name has no series', () => {
  const values = new BoundedValues(2);
  expect(['a'.repeat(100), 'a'.repeat(101), 'b', 'c', 'b'].map((value) => values.keep(value).slice(0, 5))).toEqual([
    'aaaaa',
    'other',
    'b',
    'other',
    'b',
  ]);
});

it('the durations of executed operations, and the SQL statements of changes and reads', async () => {
  const { ask, series } = await startMeasured();
  const before = await series();
  await ask('query Chats { chats(first: 1) { edges { node { id } } } }');
  await ask('query Refused { nothing }');
  const after = await series();
  const read = 'parley_sql_statement_duration_seconds_count{kind="read"}';
  const change = 'parley_sql_statement_duration_seconds_count{kind="change"}';
  expect(after.get(read)! - before.get(read)!).toBe(1);
  expect(after.get(change)).toBe(before.get(change));
  expect(before.get(change)).toBeGreaterThan(10);
  expect(after.get('parley_operation_duration_seconds_count{type="query",name="Chats"}')).toBe(1);
  expect([...after.keys()].filter((name) => /^parley_operation_duration_seconds_count/.test(name))).toHaveLength(1);
});
