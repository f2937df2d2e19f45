/** Runs the agents of docs/context.md with the real AI SDK and its test model. */
import * as v6 from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import * as v5 from 'ai-v5';
import { MockLanguageModelV2 } from 'ai-v5/test';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import {
  assistant,
  ContextEngine,
  isUIMessage,
  message,
  role,
  system,
  user,
  XmlRenderer,
  type ContextFragment,
  type UIMessage,
} from '@parley/context';
import { programsOf, readDocument, typeFaults, writePrograms } from '../../context/docs/docs-examples.js';
import { openStores, STORE_NAMES, type StoreName } from '../../context/stores.js';
import { messageChunks } from './agent-messages.js';

/** The stream of a test model. */
type ChunksOf<Model extends MockLanguageModelV2 | MockLanguageModelV3> =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Chunk> ? Chunk[] : never;
type Chunks = ChunksOf<MockLanguageModelV3>;
interface Agents {
  turn(context: ContextEngine, model: v6.LanguageModel, text: string): Promise<v6.UIMessage>;
  respond(context: ContextEngine, model: v6.LanguageModel, question: v6.UIMessage): Promise<Response>;
}

const programs = programsOf(readDocument('docs/context.md'));
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
}, 120_000);

const renderer = new XmlRenderer();
const stores = openStores();
const engineOn = (name: StoreName = 'in process') =>
  new ContextEngine({ store: stores.get(name), chatId: 'c', userId: 'ana' }).set(role('You are a travel guide.'));

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const says = (delta: string): Chunks => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: USAGE },
];
const asks = (toolCallId: string, city: string): Chunks => [
  { type: 'tool-call', toolCallId, toolName: 'weather', input: JSON.stringify({ city }) },
  { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: USAGE },
];
const fails: Chunks = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'In Por' },
  { type: 'error', error: new Error('the model is overloaded') },
];
/** A model that returns one of these streams per call. */
const modelOf = (...answers: Chunks[]) =>
  new MockLanguageModelV3({
    doStream: answers.map((chunks) => ({
      stream: v6.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
    })),
  });

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

/** The functions of both SDK versions that assemble a message. */
interface Sdk {
  createUIMessageStream(options: {
    execute: (options: { writer: { write(chunk: never): void } }) => void;
    onError?: (error: unknown) => string;
  }): ReadableStream<never>;
  readUIMessageStream(options: { stream: ReadableStream<never>; terminateOnError: boolean }): AsyncIterable<UIMessage>;
  convertToModelMessages(messages: never[]): unknown;
}

describe.each<[string, Sdk]>([
  ['6', v6 as unknown as Sdk],
  ['5', v5 as unknown as Sdk],
])('messages of version %s of the SDK', (_version, sdk) => {
  async function assembled(chunks: readonly object[]): Promise<UIMessage | undefined> {
    const stream = sdk.createUIMessageStream({
      execute: ({ writer }) => chunks.forEach((chunk) => writer.write(chunk as never)),
    });
    let last: UIMessage | undefined;
    for await (const soFar of sdk.readUIMessageStream({ stream, terminateOnError: true })) last = soFar;
    return last;
  }

  test('are recognised, and returned unchanged by the graph', async () => {
    const store = stores.get('in process');
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.array(messageChunks, { minLength: 1, maxLength: 3 }), async (chatId, streams) => {
        const messages = (await Promise.all(streams.map(assembled))).filter((each) => each !== undefined);
        expect(messages.every(isUIMessage)).toBe(true);
        const context = new ContextEngine({ store, chatId, userId: 'ana' });
        await context.set(...messages.map((each) => assistant(each))).save();
        const kept = (await context.resolve({ renderer })).messages;
        // Without empty messages, which the SDK refuses.
        const said = messages.filter(({ parts }) => parts.length > 0);
        expect(kept).toEqual(JSON.parse(JSON.stringify(said)));
        // The SDK converts both to the same model messages.
        expect(await sdk.convertToModelMessages(kept as never[])).toEqual(
          await sdk.convertToModelMessages(JSON.parse(JSON.stringify(said)) as never[]),
        );
      }),
      { numRuns: 40 },
    );
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

test("messages in the SDK's format for models are passed unchanged", async () => {
  const context = engineOn().set(user('Porto or Lisbon?'));
  const { systemPrompt, messages } = await context.resolve({ renderer });
  const { response } = await v6.generateText({
    model: new MockLanguageModelV3({
      doGenerate: {
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Porto.' },
        ],
        finishReason: { unified: 'stop', raw: undefined },
        usage: USAGE,
        warnings: [],
      },
    }),
    system: systemPrompt,
    messages: await v6.convertToModelMessages(messages as v6.UIMessage[]),
  });
  await context.set(...response.messages.map((each) => message(each))).save();
  const { messages: kept } = await context.resolve({ renderer });
  expect(kept[1]).toEqual(JSON.parse(JSON.stringify(response.messages[0])));
  expect(kept[1]).toMatchObject({ role: 'assistant', content: [{ type: 'reasoning' }, { type: 'text' }] });
});

test('the helpers accept a UIMessage of both versions, with custom types of metadata, data and tools', () => {
  interface Metadata {
    model: string;
    tokens?: number;
  }
  type Data = { progress: { percent: number } };
  type Tools = { weather: { input: { city: string }; output: { celsius: number } } };
  type Given = Parameters<typeof user>[0];

  expectTypeOf<v6.UIMessage>().toExtend<Given>();
  expectTypeOf<v5.UIMessage>().toExtend<Given>();
  expectTypeOf<v6.UIMessage<Metadata, Data, Tools>>().toExtend<Given>();
  expectTypeOf<v5.UIMessage<Metadata, Data, Tools>>().toExtend<Given>();
  expectTypeOf<
    v6.UIMessage<never, never, v6.InferUITools<{ weather: v6.Tool<{ city: string }, number> }>>
  >().toExtend<Given>();
  expectTypeOf<v6.InferAgentUIMessage<v6.ToolLoopAgent>>().toExtend<Given>();
  expectTypeOf(assistant).parameter(0).toEqualTypeOf<Given>();
  expectTypeOf(system).parameter(0).toEqualTypeOf<Given>();
  // Also for generic types.
  const generic = <Message extends v6.UIMessage<Metadata>>(given: Message): ContextFragment => assistant(given);
  expect(generic({ id: 'a', role: 'assistant', parts: [] })).toMatchObject({ id: 'a', name: 'assistant' });
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

test('the streams of both versions, and their requests, have the types of stream()', () => {
  type Source<Chunk> = Parameters<typeof ContextEngine.prototype.stream<Chunk>>[0];
  expectTypeOf<ReturnType<v6.StreamTextResult<v6.ToolSet, never>['toUIMessageStream']>>().toExtend<
    Source<v6.UIMessageChunk>
  >();
  expectTypeOf<ReturnType<v5.StreamTextResult<v5.ToolSet, never>['toUIMessageStream']>>().toExtend<
    Source<v5.UIMessageChunk>
  >();
});
