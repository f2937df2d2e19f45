/** Answers of useChat that wait for tool outputs and approvals of the page: the turn continues in the same answer. */
import * as ai from 'ai';
import { lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { abandonDrafts, openPage, savedThread, send, stored, texts, until, type Page } from './chat-page.js';

const automatic = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls };

/** Asks a question, whose answer calls a tool of the page. */
async function askWithTool(server: ListeningServer, page: Page): Promise<void> {
  const sent = page.chat.sendMessage({ text: 'Where am I?' });
  await page.model.requests(1);
  page.model.words('Let me see. ');
  page.model.callTool('t');
  page.model.end();
  await sent;
  const answer = page.chat.messages.at(-1)!;
  expect(await stored(server)).toEqual({ messages: 1, drafts: [answer.id] });
}

async function giveOutput({ chat }: Page): Promise<void> {
  await chat.addToolOutput({ tool: 'place', toolCallId: 't', output: 'Porto' });
}

const CALL = { type: 'tool-place', toolCallId: 't', state: 'output-available', output: 'Porto' };

async function finishTurn(page: Page, request: number): Promise<void> {
  await page.model.requests(request);
  page.model.words('In Porto.');
  page.model.end();
  await until(() => expect(page.chat.status).toBe('ready'));
}

async function expectOneAnswer(server: ListeningServer, { chat, errors }: Page): Promise<void> {
  expect(errors).toEqual([]);
  expect(await stored(server)).toEqual({ messages: 2, drafts: [] });
  const [, answer] = await savedThread(server);
  expect(answer).toEqual(JSON.parse(JSON.stringify(chat.messages[1])));
  expect(answer?.parts).toMatchObject([
    { type: 'step-start' },
    { text: 'Let me see. ' },
    CALL,
    { type: 'step-start' },
    { text: 'In Porto.', state: 'done' },
  ]);
}

test('an output continues the answer, which is stored once', async () => {
  const server = await startListening();
  const page = openPage(server, automatic);
  await askWithTool(server, page);
  await giveOutput(page);
  await finishTurn(page, 2);
  expect(page.model.asked[1]!.at(-1)!.parts).toContainEqual(expect.objectContaining(CALL));
  await expectOneAnswer(server, page);
});

test('an output that is an error continues the answer', async () => {
  const server = await startListening();
  const page = openPage(server, automatic);
  await askWithTool(server, page);
  await page.chat.addToolOutput({ state: 'output-error', tool: 'place', toolCallId: 't', errorText: 'No permission' });
  await finishTurn(page, 2);
  expect((await savedThread(server))[1]!.parts).toContainEqual(
    expect.objectContaining({ state: 'output-error', errorText: 'No permission' }),
  );
});

test('another tab shows the waiting call, and the whole answer after the output', async () => {
  const server = await startListening();
  const page = openPage(server, automatic);
  await askWithTool(server, page);
  const there = openPage(server, { messages: page.chat.messages.slice(0, 1) });
  await there.chat.resumeStream();
  expect(there.chat.messages[1]).toEqual(page.chat.messages[1]);
  await giveOutput(page);
  await page.model.requests(2);
  const later = openPage(server, { messages: page.chat.messages.slice(0, 1) });
  const resumed = later.chat.resumeStream();
  page.model.words('In Porto.');
  await until(() => expect(texts(later.chat.messages)).toEqual(['Where am I?', 'Let me see. In Porto.']));
  page.model.end();
  await resumed;
  expect(later.chat.messages[1]!.parts).toContainEqual(expect.objectContaining(CALL));
});

test('a request that fails after an output is sent again, and the output is stored once', async () => {
  const server = await startListening();
  const page = openPage(server, automatic);
  await askWithTool(server, page);
  page.model.refusal = new Error('The model is not available');
  await giveOutput(page);
  await until(() => expect(page.chat.status).toBe('error'));
  expect(page.errors.splice(0)).toMatchObject([{ message: 'The model is not available' }]);
  const again = page.chat.sendMessage();
  await page.model.requests(2);
  const { data } = await server.ask('{ chat(id: "c") { drafts { edges { node { chunks } } } } }');
  expect(JSON.stringify(data).match(/tool-output-available/g)).toHaveLength(1);
  await finishTurn(page, 2);
  await again;
  await expectOneAnswer(server, page);
});

describe.each([
  ['reloaded', false],
  ['reloaded after the idle timeout', true],
])('a page that is %s', (_name, isAbandoned) => {
  test('continues the answer with the output', async () => {
    const server = await startListening();
    const before = openPage(server, automatic);
    await askWithTool(server, before);
    before.parley.close();
    if (isAbandoned) await abandonDrafts(server.databaseUrl);
    const page = openPage(server, { ...automatic, messages: before.chat.messages.slice(0, 1) });
    await page.chat.resumeStream();
    expect(page.chat.messages[1]).toEqual(before.chat.messages[1]);
    await giveOutput(page);
    await finishTurn(page, 1);
    await expectOneAnswer(server, page);
  });

  test('sends the next message after the incomplete answer', async () => {
    const server = await startListening();
    const before = openPage(server);
    await askWithTool(server, before);
    before.parley.close();
    if (isAbandoned) await abandonDrafts(server.databaseUrl);
    const page = openPage(server, { messages: before.chat.messages });
    await send(page, 'Never mind.', 'Fine.');
    const thread = await savedThread(server);
    expect(texts(thread)).toEqual(['Where am I?', 'Let me see. ', 'Never mind.', 'Fine.']);
    expect(thread[1]).toMatchObject({ metadata: { status: 'incomplete' } });
    expect(thread[1]!.parts[2]).toMatchObject({ toolCallId: 't', state: 'output-error' });
  });
});

test('an output that was never sent is stored with the next message', async () => {
  const server = await startListening();
  const page = openPage(server);
  await askWithTool(server, page);
  await giveOutput(page);
  await send(page, 'Never mind.', 'Fine.');
  const thread = await savedThread(server);
  expect(thread[1]!.parts).toContainEqual(expect.objectContaining(CALL));
  expect(thread[1]).toMatchObject({ metadata: { status: 'incomplete' } });
});

test('another answer, and a stop, end the answer that waits', async () => {
  const server = await startListening();
  const page = openPage(server);
  await askWithTool(server, page);
  const again = page.chat.regenerate();
  await page.model.requests(2);
  page.model.callTool('u');
  page.model.end();
  await again;
  expect(await stored(server)).toMatchObject({ messages: 2, drafts: [page.chat.messages[1]!.id] });
  await page.transport.stop('c');
  expect(await stored(server)).toEqual({ messages: 3, drafts: [] });
});

// The AI SDK 5 has no approvals.
describe.runIf('lastAssistantMessageIsCompleteWithApprovalResponses' in ai)('an approval', () => {
  const { lastAssistantMessageIsCompleteWithApprovalResponses: sendAutomaticallyWhen } = ai;

  async function askForApproval(page: Page): Promise<void> {
    const sent = page.chat.sendMessage({ text: 'Delete it.' });
    await page.model.requests(1);
    page.model.callTool('t', 'remove');
    page.model.send({ type: 'tool-approval-request', approvalId: 'a', toolCallId: 't' });
    page.model.end();
    await sent;
  }

  const approvalOf = (thread: readonly UIMessage[]) => (thread[1]?.parts as { approval?: object }[])[1]?.approval;

  test('continues the answer, which is stored once, with the approval', async () => {
    const server = await startListening();
    const page = openPage(server, { sendAutomaticallyWhen });
    await askForApproval(page);
    await page.chat.addToolApprovalResponse({ id: 'a', approved: true, reason: 'Sure' });
    await page.model.requests(2);
    page.model.send({ type: 'tool-output-available', toolCallId: 't', output: 'Deleted' });
    await finishTurn(page, 2);
    const thread = await savedThread(server);
    expect(thread[1]).toEqual(JSON.parse(JSON.stringify(page.chat.messages[1])));
    expect(approvalOf(thread)).toEqual({ id: 'a', approved: true, reason: 'Sure' });
    expect(thread[1]!.parts[1]).toMatchObject({ state: 'output-available', output: 'Deleted' });
    expect(await stored(server)).toEqual({ messages: 2, drafts: [] });
  });

  test('is in the answer of a page that is closed after it', async () => {
    const server = await startListening();
    const before = openPage(server, { sendAutomaticallyWhen });
    await askForApproval(before);
    await before.chat.addToolApprovalResponse({ id: 'a', approved: true });
    await before.model.requests(2);
    before.model.send({ type: 'tool-output-available', toolCallId: 't', output: 'Deleted' });
    await until(async () => {
      const { data } = await server.ask('{ chat(id: "c") { drafts { edges { node { chunks } } } } }');
      expect(JSON.stringify(data)).toContain('tool-output-available');
    });
    before.parley.close();
    await abandonDrafts(server.databaseUrl);
    const page = openPage(server, { messages: before.chat.messages });
    await send(page, 'Thanks.', 'Welcome.');
    const thread = await savedThread(server);
    expect(approvalOf(thread)).toEqual({ id: 'a', approved: true });
    expect(thread[1]!.parts[1]).toMatchObject({ state: 'output-available', output: 'Deleted' });
  });
});
