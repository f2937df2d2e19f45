/** Deliveries of webhooks to a real receiver. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { WEBHOOK_EVENTS } from '../../../src/features/webhooks/event-types.js';
import { startListening } from '../../support/server/listening-server.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { isSigned, newSecret, startReceiver, webhookTo, type Received } from './receiver.js';

const CREATE = 'mutation ($id: ID!) { createChat(input: { id: $id, title: "Secret title" }) { __typename } }';
const SAVE = `mutation ($chatId: ID!) {
  saveMessages(input: { chatId: $chatId, messages: [{ id: "m1", name: "user", content: { text: "Secret text" } }] }) { __typename }
}`;
const DELETE = 'mutation ($id: ID!) { deleteChat(input: { chatId: $id }) { __typename } }';
const LIST = `query ($webhook: String, $state: WebhookDeliveryState, $first: Int, $after: String, $last: Int) {
  webhookDeliveries(webhook: $webhook, state: $state, first: $first, after: $after, last: $last) {
    edges { cursor node { id webhook type chatId version state attempts lastStatus lastError lastAttemptAt nextAttemptAt createdAt } }
    pageInfo { hasNextPage hasPreviousPage }
  }
}`;
const REPLAY = `mutation ($webhook: String!, $ids: [ID!]) {
  replayWebhookDeliveries(input: { webhook: $webhook, ids: $ids }) {
    ... on ReplayWebhookDeliveriesPayload { replayedCount }
    ... on Error { code message }
  }
}`;

interface Delivery {
  id: string;
  type: string;
  chatId: string;
  state: string;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
}

async function deliveriesOf(parley: Parley, filter: object = {}): Promise<Delivery[]> {
  const { data } = await parley.ask(LIST, filter);
  const { edges } = data?.['webhookDeliveries'] as { edges: { node: Delivery }[] };
  return edges.map(({ node }) => node);
}

const statesOf = async (parley: Parley) => (await deliveriesOf(parley)).map(({ state }) => state);

const typesOf = (received: readonly Received[]) => received.map(({ type }) => type).sort();

it('sends each event of a chat with ids only, signed with both secrets', async () => {
  const receiver = await startReceiver();
  const secrets = [newSecret(), newSecret()];
  const parley = await openParley({ webhooks: [webhookTo(receiver, { secrets })] });
  await parley.ask(CREATE, { id: 'a' });
  await parley.ask(SAVE, { chatId: 'a' });
  await parley.ask(DELETE, { id: 'a' });

  const expected = ['branch.activated', 'branch.created', 'branch.head_moved', 'chat.created', 'chat.deleted'];
  await expect.poll(() => typesOf(receiver.received)).toEqual(expected);
  for (const request of receiver.received) {
    expect(secrets.map((secret) => isSigned(request, secret))).toEqual([true, true]);
    expect(isSigned(request, newSecret())).toBe(false);
    expect(request.data).toMatchObject({ chatId: 'a', userId: 'local', actorId: 'local' });
    expect(request.body).not.toContain('Secret');
    expect(Math.abs(Number(request.headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(300_000);
  }
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(expected.length);
  const moved = receiver.received.find(({ type }) => type === 'branch.head_moved');
  expect(moved?.data).toEqual({
    chatId: 'a',
    version: 4,
    userId: 'local',
    actorId: 'local',
    branchId: expect.any(String) as string,
    previousHeadId: null,
    headId: 'm1',
    newMessages: 1,
  });
  await expect.poll(() => statesOf(parley)).toEqual(expected.map(() => 'DELIVERED'));
});

it('sends the events that the filter of a webhook names', async () => {
  const [all, some] = [await startReceiver(), await startReceiver()];
  const webhooks = [
    webhookTo(all, { name: 'all' }),
    webhookTo(some, { name: 'some', events: ['chat.deleted', 'branch.head_moved'] }),
  ];
  const parley = await openParley({ webhooks });
  await parley.ask(CREATE, { id: 'a' });
  await parley.ask(SAVE, { chatId: 'a' });
  await parley.ask(DELETE, { id: 'a' });
  await expect.poll(() => typesOf(some.received)).toEqual(['branch.head_moved', 'chat.deleted']);
  await expect.poll(() => all.received.length).toBe(5);
});

it('adds no statement to a save without webhooks, and one insert with webhooks', async () => {
  const receiver = await startReceiver();
  const without = await openParley();
  const withHook = await openParley({ webhooks: [webhookTo(receiver)], sweepIntervalMs: 3_600_000 });
  const statementsOf = async (parley: Parley) => {
    await parley.ask(CREATE, { id: 'a' });
    await expect.poll(async () => (await deliveriesOf(parley)).every(({ state }) => state !== 'PENDING')).toBe(true);
    parley.takeStatements();
    await parley.ask(SAVE, { chatId: 'a' });
    return parley.takeStatements().filter((sql) => sql.includes('webhook_deliveries') && sql.includes('INSERT'));
  };
  expect(await statementsOf(without)).toEqual([]);
  expect(await statementsOf(withHook)).toHaveLength(1);
});

it('sends events of a fork, and of an import that another process writes', async () => {
  const receiver = await startReceiver();
  const server = await startListening({
    webhooks: [webhookTo(receiver, { events: ['chat.created', 'chat.changed', 'chat.deleted'] })],
  });
  const { ask } = server;
  await ask(CREATE, { id: 'a' });
  await ask(SAVE, { chatId: 'a' });
  await ask('mutation { forkChat(input: { chatId: "a", messageId: "m1", id: "fork" }) { __typename } }');
  const body = await (await fetch(new URL('/export?chatId=a', server.url))).text();
  await ask('mutation ($id: ID!) { deleteChat(input: { chatId: $id, permanently: true }) { __typename } }', {
    id: 'a',
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  await (await fetch(new URL('/import', server.url), { method: 'POST', body, headers })).text();
  const events = () => receiver.received.map(({ type, data }) => `${type} ${data.chatId}`).sort();
  const ofA = ['chat.changed a', 'chat.created a', 'chat.created a'];
  await expect.poll(events).toEqual([...ofA, 'chat.created fork', 'chat.deleted a']);
});

it('removes delivered events after 7 days, and failed ones after 30', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const receiver = await startReceiver(({ type }, response) =>
    response.writeHead(type === 'chat.created' ? 204 : 500).end(),
  );
  const parley = await openParley({
    webhooks: [webhookTo(receiver, { events: ['chat.created', 'chat.deleted'], maxAttempts: 1 })],
  });
  await parley.ask(CREATE, { id: 'a' });
  await parley.ask(DELETE, { id: 'a' });
  await expect.poll(() => statesOf(parley)).toEqual(['FAILED', 'DELIVERED']);
  const after = async (days: number, states: string[]) => {
    vi.setSystemTime(Date.now() + days * 86_400_000);
    const next = () => (vi.advanceTimersByTime(60_000), statesOf(parley));
    await expect.poll(next).toEqual(states);
  };
  await after(6, ['FAILED', 'DELIVERED']);
  await after(2, ['FAILED']);
  await after(23, []);
});

it('repeats a failed request with the same webhook-id until it succeeds', async () => {
  const receiver = await startReceiver((request, response) => {
    const attempts = receiver.received.filter(({ id }) => id === request.id).length;
    response.writeHead(attempts < 3 ? 503 : 200).end('x'.repeat(1_000_000));
  });
  const parley = await openParley({
    webhooks: [webhookTo(receiver, { events: ['chat.created'] })],
    sweepIntervalMs: 10,
  });
  await parley.ask(CREATE, { id: 'a' });
  await expect.poll(() => statesOf(parley)).toEqual(['DELIVERED']);
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(await deliveriesOf(parley)).toMatchObject([{ attempts: 3, lastStatus: 200, lastError: null }]);
});

it('marks a delivery as failed after the last attempt, logs it, and replays it', async () => {
  const lines: string[] = [];
  const receiver = await startReceiver((_request, response) => void response.writeHead(500).end());
  const webhooks = [webhookTo(receiver, { events: ['chat.created'], maxAttempts: 2 })];
  const parley = await openParley({ webhooks, sweepIntervalMs: 10, log: (line) => lines.push(line) });
  await parley.ask(CREATE, { id: 'a' });
  await expect.poll(() => statesOf(parley)).toEqual(['FAILED']);
  const [failed] = await deliveriesOf(parley, { webhook: 'hook', state: 'FAILED' });
  expect(failed).toMatchObject({ attempts: 2, lastStatus: 500, lastError: 'status 500', nextAttemptAt: null });
  await expect
    .poll(() => lines)
    .toContain(
      `Webhook hook: delivery ${failed?.id} of chat.created of chat "a" has failed after 2 attempts: status 500`,
    );

  receiver.answer = (_request, response) => void response.writeHead(204).end();
  expect((await parley.ask(REPLAY, { webhook: 'hook' })).data).toEqual({
    replayWebhookDeliveries: { replayedCount: 1 },
  });
  await expect.poll(() => statesOf(parley)).toEqual(['DELIVERED']);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  // By id, also a delivered one.
  expect((await parley.ask(REPLAY, { webhook: 'hook', ids: [failed?.id, 'x'] })).data).toEqual({
    replayWebhookDeliveries: { replayedCount: 1 },
  });
  await expect.poll(() => receiver.received.length).toBe(4);
});

it('fails at once after 410, and reports a redirect, a hanging receiver and a refused connection', async () => {
  const events = ['chat.created'] as const;
  const [gone, moved, hanging] = [
    await startReceiver((_request, response) => void response.writeHead(410).end()),
    await startReceiver((_request, response) => void response.writeHead(307, { location: gone.url }).end()),
    await startReceiver(() => {}),
  ];
  const parley = await openParley({
    sweepIntervalMs: 10,
    webhooks: [
      webhookTo(gone, { name: 'gone', events }),
      webhookTo(moved, { name: 'moved', events, maxAttempts: 1 }),
      webhookTo(hanging, { name: 'hanging', events, maxAttempts: 1, timeoutMs: 100 }),
      webhookTo({ url: 'http://127.0.0.1:1/' }, { name: 'refused', events, maxAttempts: 1 }),
    ],
  });
  await parley.ask(CREATE, { id: 'a' });
  await expect.poll(() => statesOf(parley)).toEqual(['FAILED', 'FAILED', 'FAILED', 'FAILED']);
  const reasonOf = async (webhook: string) => (await deliveriesOf(parley, { webhook }))[0]?.lastError;
  expect(await reasonOf('gone')).toBe('status 410');
  expect(await reasonOf('moved')).toBe('status 307: redirects are not followed');
  expect(await reasonOf('hanging')).toBe('no response within 100 ms');
  expect(await reasonOf('refused')).toContain('ECONNREFUSED');
  expect(gone.received).toHaveLength(1);
});

it('follows redirects where they are allowed', async () => {
  const target = await startReceiver();
  const moved = await startReceiver(
    (_request, response) => void response.writeHead(308, { location: target.url }).end(),
  );
  const webhook = webhookTo(moved, { allowRedirects: true, events: ['chat.created'] });
  const parley = await openParley({ webhooks: [webhook] });
  await parley.ask(CREATE, { id: 'a' });
  await expect.poll(() => statesOf(parley)).toEqual(['DELIVERED']);
  expect(target.received.map((request) => isSigned(request, webhook.secrets[0]!))).toEqual([true]);
});

it('refuses a name that resolves to a private address', async () => {
  const receiver = await startReceiver();
  const url = receiver.url.replace('http://127.0.0.1', 'https://localhost');
  const webhooks = [webhookTo({ url }, { allowPrivateAddresses: false, maxAttempts: 1, events: ['chat.created'] })];
  const parley = await openParley({ webhooks });
  await parley.ask(CREATE, { id: 'a' });
  await expect.poll(() => statesOf(parley)).toEqual(['FAILED']);
  expect(await deliveriesOf(parley)).toMatchObject([
    {
      lastStatus: null,
      lastError: expect.stringMatching(/^localhost has the address (127\.0\.0\.1|::1), which is not public/) as string,
    },
  ]);
  expect(receiver.received).toEqual([]);
});

it('lists deliveries page by page, newest first', async () => {
  const receiver = await startReceiver();
  const parley = await openParley({ webhooks: [webhookTo(receiver, { events: ['chat.created'] })] });
  for (const id of ['a', 'b', 'c']) await parley.ask(CREATE, { id });
  const pageOf = async (variables: object) => {
    const { data } = await parley.ask(LIST, variables);
    const page = data?.['webhookDeliveries'] as {
      edges: { cursor: string; node: Delivery }[];
      pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
    };
    return { chats: page.edges.map(({ node }) => node.chatId), cursor: page.edges.at(-1)?.cursor, ...page.pageInfo };
  };
  const first = await pageOf({ first: 2 });
  expect(first).toMatchObject({ chats: ['c', 'b'], hasNextPage: true, hasPreviousPage: false });
  expect(await pageOf({ first: 2, after: first.cursor })).toMatchObject({
    chats: ['a'],
    hasNextPage: false,
    hasPreviousPage: true,
  });
  expect(await pageOf({ last: 1 })).toMatchObject({ chats: ['a'], hasPreviousPage: true });
  expect(await parley.ask(LIST, { after: 'x' })).toMatchObject({
    errors: [{ message: 'after is not a cursor of this list' }],
  });
});

it('refuses to replay for users, unknown webhooks and too many ids', async () => {
  const receiver = await startReceiver();
  const parley = await openParley({ webhooks: [webhookTo(receiver)] });
  const replay = async (variables: object) => (await parley.ask(REPLAY, variables)).data?.['replayWebhookDeliveries'];
  expect(await replay({ webhook: 'other' })).toMatchObject({ message: 'no webhook has this name' });
  expect(await replay({ webhook: 'hook', ids: Array(1001).fill('x') })).toMatchObject({
    message: 'ids must have at most 1000 elements, got 1001',
  });
  const asUser = async (query: string, variables: object) => {
    const response = await parley.post(JSON.stringify({ query, variables }), { 'x-user-id': 'alice' });
    return response.json() as Promise<object>;
  };
  expect(await asUser(REPLAY, { webhook: 'hook' })).toMatchObject({
    data: { replayWebhookDeliveries: { message: 'only an admin may replay deliveries' } },
  });
  expect(await asUser(LIST, {})).toMatchObject({
    errors: [{ message: 'webhookDeliveries: only an admin may list deliveries' }],
  });
});

it('has event types as the specification recommends', () => {
  for (const type of WEBHOOK_EVENTS) expect(type).toMatch(/^[a-z_]+\.[a-z_]+$/);
});
