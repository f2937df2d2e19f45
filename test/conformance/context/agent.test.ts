/** Runs the agents of docs/context/answers.md with the real AI SDK and its test model. */
import * as v6 from 'ai';
import * as v5 from 'ai-v5';
import { MockLanguageModelV2 } from 'ai-v5/test';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ContextEngine, role, user, XmlRenderer } from '@parley/context';
import { programsOf, readDocument, writePrograms } from '../../context/docs/docs-examples.js';
import { typeFaults } from '../../support/type-faults.js';
import { openStores, STORE_NAMES, type StoreName } from '../../context/stores.js';
import { asks, fails, modelOf, says, type ChunksOf } from './agent-models.js';

interface Agents {
  turn(context: ContextEngine, model: v6.LanguageModel, text: string): Promise<v6.UIMessage>;
  respond(context: ContextEngine, model: v6.LanguageModel, question: v6.UIMessage): Promise<Response>;
}

const programs = programsOf(readDocument('docs/context/answers.md'));
/** With version 6 of the SDK, and with version 5. */
const paths = writePrograms(
  new Map(
    ['agent', 'stream'].flatMap((name) => {
      const code = programs.get(`${name}.ts`)!;
      return [
        [`${name}.ts`, code],
        [`${name}-v5.ts`, code.replaceAll("from 'ai'", "from 'ai-v5'")],
      ];
    }),
  ),
  'test/conformance/generated/agent-programs',
);
const agents = async (name: string) => (await import(paths.get(name)!)) as Agents;

test('their code has the types of both versions', () => {
  expect(typeFaults([...paths.values()])).toBe('');
});

const renderer = new XmlRenderer();
const stores = openStores();
const engineOn = (name: StoreName = 'in process') =>
  new ContextEngine({ store: stores.get(name), chatId: 'c', userId: 'ana' }).set(role('You are a travel guide.'));

/** The SDK prints the errors of models. */
function expectPrinted(message: string): void {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => {
    expect(print).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }));
    print.mockRestore();
  });
}

const textOf = ({ parts }: v6.UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe.each(STORE_NAMES)('the agent, %s', (store) => {
  test('calls tools in several steps, saves all of it, and sees it in its next turn', async () => {
    const { turn } = await agents('agent.ts');
    const context = engineOn(store);
    const model = modelOf(
      asks('call-1', 'Porto'),
      asks('call-2', 'Lisbon'),
      says('In Porto it is clear.'),
      says('Yes.'),
    );

    const answer = await turn(context, model, 'Porto or Lisbon?');
    expect(textOf(answer)).toBe('In Porto it is clear.');
    expect(answer.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-weather',
      'step-start',
      'tool-weather',
      'step-start',
      'text',
    ]);
    expect(context.pendingMessages).toEqual([]);
    expect(context.headMessageId).toBe(answer.id);
    const { messages } = await context.resolve({ renderer });
    expect(messages[1]).toEqual(JSON.parse(JSON.stringify(answer)));

    await turn(context, model, 'Is it clear there?');
    const { prompt } = model.doStreamCalls[3]!;
    expect(prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(prompt[0]).toMatchObject({ content: '<role>You are a travel guide.</role>' });
    expect(prompt[5]).toMatchObject({
      content: [{ toolCallId: 'call-2', output: { value: { city: 'Lisbon', sky: 'clear', celsius: 21 } } }],
    });
  });
});

test('a turn whose model fails saves nothing, and its question stays pending', async () => {
  const { turn } = await agents('agent.ts');
  const context = engineOn();
  expectPrinted('the model is overloaded');
  await expect(turn(context, modelOf(fails), 'Porto or Lisbon?')).rejects.toThrow();
  expect(context.headMessageId).toBeNull();
  expect(context.pendingMessages).toMatchObject([{ data: 'Porto or Lisbon?' }]);
});

describe('a streamed answer', () => {
  const question: v6.UIMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Porto or Lisbon?' }] };

  test('is saved under the id that the browser received', async () => {
    const { respond } = await agents('stream.ts');
    const context = engineOn();
    const response = await respond(context, modelOf(says('Porto.')), question);
    const sent = await response.text();
    const { messages } = await context.resolve({ renderer });
    expect(messages).toMatchObject([question, { role: 'assistant', parts: [{}, { type: 'text', text: 'Porto.' }] }]);
    expect(sent).toContain(`"messageId":"${context.headMessageId}"`);
    expect(messages[1]).toMatchObject({ id: context.headMessageId });
  });

  test('of a model that fails is not saved; the question is', async () => {
    const { respond } = await agents('stream.ts');
    const context = engineOn();
    expectPrinted('the model is overloaded');
    await (await respond(context, modelOf(fails), question)).text();
    const { messages } = await context.resolve({ renderer });
    expect(messages).toEqual([question]);
  });

  test('is saved although the browser disconnects', async () => {
    const { respond } = await agents('stream.ts');
    const context = engineOn();
    const saved = new Promise<void>((resolve) => {
      const save = context.save.bind(context);
      let saves = 0;
      context.save = async () => {
        const result = await save();
        if (++saves === 2) resolve();
        return result;
      };
    });
    await (await respond(context, modelOf(says('Porto.')), question)).body!.cancel();
    await saved;
    expect((await context.resolve({ renderer })).messages).toHaveLength(2);
  });
});

test('the agent works with version 5 as well', async () => {
  const { turn } = await agents('agent-v5.ts');
  const context = engineOn();
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const answers: ChunksOf<MockLanguageModelV2>[] = [
    [
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: '{"city":"Porto"}' },
      { type: 'finish', finishReason: 'tool-calls', usage },
    ],
    [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'It is clear.' },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: 'stop', usage },
    ],
  ];
  const model = new MockLanguageModelV2({
    doStream: async () => ({ stream: v5.simulateReadableStream({ chunks: answers.shift()! }) }),
  });
  const answer = await turn(context, model, 'What is the weather in Porto?');
  expect(answer.parts.map(({ type }) => type)).toEqual(['step-start', 'tool-weather', 'step-start', 'text']);
  const { messages } = await context.resolve({ renderer });
  expect(messages[1]).toEqual(JSON.parse(JSON.stringify(answer)));
});

describe.each(STORE_NAMES)('an answer that passes through stream(), %s', (store) => {
  test('is saved as the SDK has assembled it, under the id in the browser', async () => {
    const context = engineOn(store).set(user('What is the weather in Porto?'));
    const tools = {
      weather: v6.tool({
        inputSchema: v6.jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
        execute: async ({ city }: { city: string }) => ({ city, sky: 'clear' }),
      }),
    };
    let whole: v6.UIMessage | undefined;
    const stream = await context.stream(({ signal }) =>
      v6
        .streamText({
          model: modelOf(asks('call-1', 'Porto'), says('It is clear.')),
          prompt: 'What is the weather in Porto?',
          tools,
          stopWhen: v6.stepCountIs(3),
          abortSignal: signal,
        })
        .toUIMessageStream({ onFinish: ({ responseMessage }) => void (whole = responseMessage) }),
    );
    const sent = await v6.createUIMessageStreamResponse({ stream: stream.readable }).text();
    expect(sent).toContain(`{"type":"start","messageId":"${stream.id}"}`);
    const { messages } = await context.resolve({ renderer });
    expect(messages[1]).toEqual({ ...(JSON.parse(JSON.stringify(whole)) as object), id: stream.id });
    expect(messages[1]).toMatchObject({ parts: [{}, { state: 'output-available' }, {}, { text: 'It is clear.' }] });
  });
});
