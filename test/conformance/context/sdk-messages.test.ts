/** Messages of the AI SDK in the context library: values, types and streams of each version. */
import * as v6 from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import * as v5 from 'ai-v5';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
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
import { openStores } from '../../context/stores.js';
import { USAGE } from './agent-models.js';
import { streamedChunks } from './streamed-chunks.js';

const renderer = new XmlRenderer();
const stores = openStores();

/** The functions of both SDK versions that assemble a message. */
interface Sdk {
  createUIMessageStream(options: {
    execute: (options: { writer: { write(chunk: never): void } }) => void;
    onError?: (error: unknown) => string;
  }): ReadableStream<never>;
  readUIMessageStream(options: { stream: ReadableStream<never>; terminateOnError: boolean }): AsyncIterable<UIMessage>;
  convertToModelMessages(messages: never[]): unknown;
}

describe.each<[5 | 6, Sdk]>([
  [6, v6 as unknown as Sdk],
  [5, v5 as unknown as Sdk],
])('messages of version %i of the SDK', (version, sdk) => {
  const messageChunks = fc.tuple(fc.uuid(), streamedChunks(version)).map(([messageId, [start, ...chunks]]) => {
    const whole = chunks.filter(({ type }) => type !== 'error' && type !== 'abort');
    return [{ ...start, messageId }, ...whole];
  });

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
        const nonEmpty = messages.filter(({ parts }) => parts.length > 0);
        expect(kept).toEqual(JSON.parse(JSON.stringify(nonEmpty)));
        // The SDK converts both to the same model messages.
        expect(await sdk.convertToModelMessages(kept as never[])).toEqual(
          await sdk.convertToModelMessages(JSON.parse(JSON.stringify(nonEmpty)) as never[]),
        );
      }),
      { numRuns: 40 },
    );
  });
});

test("messages in the SDK's format for models are passed unchanged", async () => {
  const context = new ContextEngine({ store: stores.get('in process'), chatId: 'c', userId: 'ana' }).set(
    role('You are a travel guide.'),
    user('Porto or Lisbon?'),
  );
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

test('the streams of both versions, and their requests, have the types of stream()', () => {
  type Source<Chunk> = Parameters<typeof ContextEngine.prototype.stream<Chunk>>[0];
  expectTypeOf<ReturnType<v6.StreamTextResult<v6.ToolSet, never>['toUIMessageStream']>>().toExtend<
    Source<v6.UIMessageChunk>
  >();
  expectTypeOf<ReturnType<v5.StreamTextResult<v5.ToolSet, never>['toUIMessageStream']>>().toExtend<
    Source<v5.UIMessageChunk>
  >();
});
