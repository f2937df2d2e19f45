/** The audit log as records of an OpenTelemetry collector. */
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { AuditLog } from '../../../src/features/audit/audit-log.js';
import { startListening } from '../../support/server/listening-server.js';
import { startOtlpCollector } from '../../support/server/otlp-collector.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { freePort } from '../../support/server/free-port.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

afterEach(() => void vi.useRealTimers());

/** Pauses end when the test advances the clock. */
const useTestClock = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

async function openLog() {
  const collector = await startOtlpCollector();
  const logged: string[] = [];
  const log = await AuditLog.open({
    target: 'otlp',
    endpoint: `${collector.url}/v1/logs`,
    log: (line) => logged.push(line),
  });
  const read = (chatId: string) => {
    const record = log.begin({ userId: 'alice', isAdmin: false }, { requestId: null, address: null });
    record.read('chat.read', [chatId]);
    record.end();
  };
  const chats = () => collector.records.flatMap(({ attributes }) => attributes['parley.chat.ids']);
  return { collector, log, logged, read, chats };
}

it('a collector receives each access, without contents, also of deleted chats', async () => {
  const collector = await startOtlpCollector();
  const { url, stop } = await startListening({
    auth: AUTH,
    recoveryDays: 0,
    auditLog: 'otlp',
    auditEndpoint: `${collector.url}/v1/logs`,
    serviceName: 'of-a-test',
  });
  const began = Date.now();
  const post = async (query: string, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await bearer('alice')), ...headers },
      body: JSON.stringify({ query }),
    });
  await post(`mutation {
    createChat(input: { id: "c", title: "secret title" }) { __typename }
    saveMessages(input: { chatId: "c", messages: [{ id: "m", name: "user", content: { text: "secret text" } }] }) { __typename }
  }`);
  await post('{ chat(id: "c") { title messages(first: 5) { edges { node { text } } } } }', {
    'x-request-id': 'reading',
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  });
  await post('{ chat(id: "other") { title } }');
  await post('mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
  await stop();
  const { records, resource, bodies } = collector;
  expect(records.map(({ eventName, severityText }) => [eventName, severityText])).toEqual([
    ['parley.chat.created', 'INFO'],
    ['parley.chat.changed', 'INFO'],
    ['parley.chat.read', 'INFO'],
    ['parley.chat.read', 'WARN'],
    ['parley.chat.deleted', 'INFO'],
  ]);
  expect(records[2]).toMatchObject({ traceId: TRACE, body: { stringValue: 'chat.read' } });
  expect(records[2]!.attributes).toEqual({
    'parley.audit.result': 'ok',
    'user.id': 'alice',
    'parley.audit.admin': false,
    'parley.chat.ids': ['c'],
    'parley.audit.route': '/graphql',
    'parley.request.id': 'reading',
    'client.address': '127.0.0.1',
  });
  expect(records[3]!.attributes).toMatchObject({ 'parley.audit.result': 'not_found', 'parley.chat.ids': [] });
  expect(Number(records[2]!.timeUnixNano) / 1e6).toBeGreaterThanOrEqual(began);
  expect(resource).toEqual({ 'service.name': 'of-a-test' });
  expect(bodies.join('\n')).toMatch(/^POST \/v1\/logs /);
  expect(bodies.join('\n')).not.toMatch(/secret|title/);
});

it.each([503, 401])('records wait while the collector answers %s, and arrive once in order', async (status) => {
  useTestClock();
  const { collector, log, logged, read, chats } = await openLog();
  collector.status = status;
  read('a');
  const waits = /^The audit log waits for the collector: /;
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      return log.problem;
    })
    .toMatch(waits);
  read('b');
  expect(log.counts).toEqual({ written: 0, lost: 0, waiting: 2 });
  collector.status = 200;
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      return log.counts;
    })
    .toEqual({ written: 2, lost: 0, waiting: 0 });
  expect([chats(), log.problem]).toEqual([['a', 'b'], null]);
  expect(logged).toEqual([expect.stringMatching(waits), 'The audit log is written again; 0 lines were lost']);
  await log.close();
});

it('records that the collector refuses are lost, counted and logged', async () => {
  const { collector, log, logged, read, chats } = await openLog();
  collector.status = 400;
  read('a');
  await expect.poll(() => log.counts).toEqual({ written: 0, lost: 1, waiting: 0 });
  collector.status = 200;
  read('b');
  await log.close();
  expect(chats()).toEqual(['b']);
  expect(logged).toEqual(['The audit log loses lines: 400', 'The audit log is written again; 1 lines were lost']);
});

it('more records than the buffer holds are lost while the collector is unavailable', async () => {
  const { collector, log, logged, read } = await openLog();
  collector.status = null;
  for (let n = 0; n < 12; n++) read('x'.repeat(1024 * 1024));
  expect(log.counts).toEqual({ written: 0, lost: 5, waiting: 7 });
  expect(logged).toEqual(['The audit log loses lines: more than 8388608 characters wait']);
  useTestClock();
  const closed = log.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await closed;
  expect(log.counts).toEqual({ written: 0, lost: 12, waiting: 0 });
  expect(logged.at(-1)).toBe('The audit log is closed; its last 7 lines were not written');
});

it('a collector that does not answer delays the end by 5 seconds', async () => {
  const slow = await openLog();
  slow.collector.status = null;
  slow.read('a');
  await expect.poll(() => slow.collector.bodies.length).toBe(1);
  useTestClock();
  let isClosed = false;
  const closed = slow.log.close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(4_999);
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await closed;
  expect(slow.logged).toEqual(['The audit log is closed; its last 1 lines were not written']);
});

it('operations and readiness succeed without a collector, and readiness and metrics show the waiting records', async () => {
  useTestClock();
  onTestFinished(() => void vi.useRealTimers());
  const auditEndpoint = `http://127.0.0.1:${await freePort()}/v1/logs`;
  const lines: string[] = [];
  const { ask, url, stop } = await startListening({ auditLog: 'otlp', auditEndpoint, log: (line) => lines.push(line) });
  const created = 'mutation { createChat(input: { id: "c" }) { ... on CreateChatPayload { chat { id } } } }';
  expect(await ask(created)).toEqual({ data: { createChat: { chat: { id: 'c' } } } });
  const page = async (path: string) => (await fetch(new URL(path, url))).text();
  expect(await page('/metrics')).toMatch(/^parley_audit_waiting_lines 1$/m);
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      return JSON.parse(await page('/health/ready')) as object;
    })
    .toMatchObject({ status: 'ready', warnings: ['The audit log waits for the collector: ECONNREFUSED'] });
  let isStopped = false;
  void stop().then(() => (isStopped = true));
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      return isStopped;
    })
    .toBe(true);
  expect(lines.at(-1)).toBe('The audit log is closed; its last 1 lines were not written');
});
