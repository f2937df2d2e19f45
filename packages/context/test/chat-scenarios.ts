/** Sessions of a page with useChat and its default transport on a handler, with any version of the AI SDK. */
import type { LanguageModel, ToolSet, UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { chunksOf, openParley, post, userMessage, serve, textOf } from './chat-pages.js';
import { openPage, type Page, type Sdk, type Turn } from './sdk-page.js';

type ModelOf = (turns: Turn[], prompts: unknown[]) => LanguageModel;

const CALL = { toolName: 'place', toolCallId: 'call', input: { near: true } };

/** @param modelOf returns a model that answers one turn per call, and records its prompts */
export function chatScenarios(sdk: Sdk, modelOf: ModelOf): void {
  const inputSchema = sdk.jsonSchema<object>({ type: 'object' });

  test('a page sends messages, edits one and regenerates; the store has each version once', async () => {
    const { store } = await openParley();
    const prompts: unknown[] = [];
    const api = await serve({
      store,
      model: modelOf(['Porto.', 'Lisbon.', 'Faro.', 'By train.'], prompts),
      titles: true,
    });
    const page = openPage(sdk, { api, id: 'c' });
    await page.sendMessage({ text: 'Porto or Lisbon?' });
    await page.regenerate();
    expect(textsOf(page)).toEqual(['Porto or Lisbon?', 'Lisbon.']);
    await page.sendMessage({ text: 'Where to?', messageId: page.messages[0]!.id });
    await page.sendMessage({ text: 'How?' });
    expect(textsOf(page)).toEqual(['Where to?', 'Faro.', 'How?', 'By train.']);
    expect((await store.getMessages('c')).map(({ data }) => textsOfMessage(data as UIMessage))).toEqual(textsOf(page));
    const { nodes } = await store.getGraph('c');
    expect(nodes.map(({ content }) => content)).toEqual([
      'Porto or Lisbon?',
      'Porto.',
      'Lisbon.',
      'Where to?',
      'Faro.',
      'How?',
      'By train.',
    ]);
    expect(prompts).toHaveLength(4);
    expect((await store.getChat('c'))!.title).toBe('Porto or Lisbon?');
  });

  test('an output of a tool on the page continues the answer, which is stored once', async () => {
    const { store } = await openParley();
    const prompts: unknown[] = [];
    const tools = { place: sdk.tool({ inputSchema }) } as ToolSet;
    const api = await serve({ store, model: modelOf([CALL, 'Porto.'], prompts), tools });
    const page = openPage(sdk, {
      api,
      id: 'c',
      sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithToolCalls,
    });
    await page.sendMessage({ text: 'Where am I?' });
    const [waiting] = await store.listDrafts('c');
    expect(page.lastMessage).toMatchObject({ id: waiting!.id });
    expect(await store.getMessages('c')).toHaveLength(1);
    await page.addToolOutput({ tool: 'place', toolCallId: 'call', output: { city: 'Porto' } });
    await settled(page, 'Porto.');
    const [, answer, ...others] = await store.getMessages('c');
    expect(others).toEqual([]);
    expect(answer).toMatchObject({
      id: waiting!.id,
      data: {
        parts: [
          { type: 'step-start' },
          { type: 'tool-place', state: 'output-available', input: { near: true }, output: { city: 'Porto' } },
          { type: 'step-start' },
          { type: 'text', text: 'Porto.', state: 'done' },
        ],
      },
    });
    expect(JSON.stringify(prompts[1])).toContain('"city":"Porto"');
    expect(await store.listDrafts('c')).toEqual([]);
    expect((await store.getGraph('c')).nodes).toHaveLength(2);
  });

  test('a repeated output, also concurrently and in another process, continues the answer once', async () => {
    const { store } = await openParley();
    const prompts: unknown[] = [];
    const options = {
      store,
      model: modelOf([CALL, 'Porto.'], prompts),
      tools: { place: sdk.tool({ inputSchema }) } as ToolSet,
    };
    const apis = [await serve(options), await serve(options)];
    await chunksOf(await post(apis[0]!, [userMessage('q', 'Where am I?')]));
    const [draft] = await store.listDrafts('c');
    const part = { type: 'tool-place', toolCallId: 'call', state: 'output-available', input: {}, output: 'Porto' };
    const outputs = [userMessage('q', 'Where am I?'), { id: draft!.id, role: 'assistant', parts: [part] }];
    const responses = await Promise.all(apis.flatMap((api) => [post(api, outputs), post(api, outputs)]));
    const streams = await Promise.all(responses.map(chunksOf));
    expect(streams.map(textOf)).toEqual(['Porto.', 'Porto.', 'Porto.', 'Porto.']);
    expect(prompts).toHaveLength(2);
    const [, answer] = await store.getMessages('c');
    expect((answer!.data as UIMessage).parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-place',
      'step-start',
      'text',
    ]);
    const late = await chunksOf(await post(apis[1]!, outputs));
    expect(textOf(late)).toBe('Porto.');
    expect(prompts).toHaveLength(2);
  });

  test('a reloaded page shows the waiting call, and its output continues the answer', async () => {
    const { store } = await openParley();
    const api = await serve({
      store,
      model: modelOf([CALL, 'Porto.'], []),
      tools: { place: sdk.tool({ inputSchema }) },
    });
    await chunksOf(await post(api, [userMessage('q', 'Where am I?')]));
    const messages = (await store.getMessages('c')).map(({ data }) => data as UIMessage);
    const sendAutomaticallyWhen = sdk.lastAssistantMessageIsCompleteWithToolCalls;
    const page = openPage(sdk, { api, id: 'c', messages, sendAutomaticallyWhen });
    await page.resumeStream();
    expect(page.lastMessage!.parts.at(-1)).toMatchObject({ type: 'tool-place', state: 'input-available' });
    await page.addToolOutput({ tool: 'place', toolCallId: 'call', output: 'Porto' });
    await settled(page, 'Porto.');
    expect(await store.getMessages('c')).toHaveLength(2);
    expect(await store.listDrafts('c')).toEqual([]);
  });

  test('a message after an answer that waits for a tool ends that answer as incomplete, and models accept it', async () => {
    const { store } = await openParley();
    const prompts: unknown[] = [];
    const tools = { place: sdk.tool({ inputSchema }) } as ToolSet;
    const api = await serve({ store, model: modelOf([CALL, 'Never mind.'], prompts), tools });
    const page = openPage(sdk, { api, id: 'c' });
    await page.sendMessage({ text: 'Where am I?' });
    await page.sendMessage({ text: 'Forget it.' });
    expect(textsOf(page).at(-1)).toBe('Never mind.');
    const messages = await store.getMessages('c');
    expect(messages.map(({ name }) => name)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages[1]!.data).toMatchObject({
      metadata: { status: 'incomplete' },
      parts: [{ type: 'step-start' }, { type: 'tool-place', state: 'output-error' }],
    });
  });
}

/** Approvals, which version 5 does not have, and answers after answers, which its pages join. */
export function laterScenarios(sdk: Sdk, modelOf: ModelOf): void {
  test('an answer after an answer is regenerated beside it, and a call without a result is no obstacle', async () => {
    const { store } = await openParley();
    await store.createChat({ id: 'c', userId: 'local' });
    const call = { type: 'tool-place', toolCallId: 'call', state: 'input-available', input: {} };
    const data = [
      userMessage('u', 'Where am I?'),
      { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'A' }, call] },
      { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'B' }] },
    ];
    await store.saveMessages(
      'c',
      data.map((message) => ({ id: message.id, name: message.role, content: { data: message } })),
    );
    const prompts: unknown[] = [];
    const inputSchema = sdk.jsonSchema<object>({ type: 'object' });
    const tools = { place: sdk.tool({ inputSchema }) } as ToolSet;
    const api = await serve({ store, model: modelOf(['B2', 'B3'], prompts), tools });
    const page = openPage(sdk, { api, id: 'c', messages: data as UIMessage[] });
    await page.regenerate({ messageId: 'b' });
    expect(textsOf(page)).toEqual(['Where am I?', 'A', 'B2']);
    const [, answer, again] = await store.getMessages('c');
    expect([answer!.id, again!.parentId]).toEqual(['a', 'a']);
    expect(answer!.data).toMatchObject({ parts: [{ type: 'text' }, { type: 'tool-place', state: 'input-available' }] });
    expect(JSON.stringify(prompts[0])).toContain('"text":"A"');
    await page.sendMessage({ text: 'And now?' });
    expect(textsOf(page).slice(-2)).toEqual(['And now?', 'B3']);
  });

  test.each([true, false])('an approval (%s) of a page continues the answer', async (approved) => {
    const { store } = await openParley();
    const calls: unknown[] = [];
    const execute = async (input: object) => {
      calls.push(input);
      return { sent: true };
    };
    const inputSchema = sdk.jsonSchema<object>({ type: 'object' });
    const tools = { place: sdk.tool({ inputSchema, needsApproval: true, execute }) };
    const api = await serve({ store, model: modelOf([CALL, 'Done.'], []), tools });
    const page = openPage(sdk, {
      api,
      id: 'c',
      sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await page.sendMessage({ text: 'Send it.' });
    expect(calls).toEqual([]);
    const part = page.lastMessage!.parts.at(-1) as { approval?: { id: string } };
    await page.addToolApprovalResponse({ id: part.approval!.id, approved });
    await settled(page, 'Done.');
    expect(calls).toHaveLength(approved ? 1 : 0);
    const [, answer, ...others] = await store.getMessages('c');
    expect(others).toEqual([]);
    const state = approved ? 'output-available' : 'output-denied';
    expect(answer!.data).toMatchObject({
      parts: [{ type: 'step-start' }, { state, approval: { approved } }, { type: 'step-start' }, { text: 'Done.' }],
    });
  });
}

const textsOf = (page: Page) => page.messages.map(textsOfMessage);
const textsOfMessage = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Waits until a page shows an answer whole: the request after a tool output starts by itself. */
async function settled(page: Page, text: string): Promise<void> {
  await expect.poll(() => [page.status, textsOf(page).at(-1)]).toEqual(['ready', text]);
}
