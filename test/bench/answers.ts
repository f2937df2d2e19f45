/** The time until a page has the first token of an answer, with Parley and without. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RemoteStore } from '@parley/context';
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';
import { convertToModelMessages, simulateReadableStream, streamText, type UIMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { mediansOfTurns } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

/** Delay of the model's first token. */
const MODEL_DELAY_MS = 50;
const ROUNDS = 20;
const WARM_UP_ROUNDS = 2;
const QUESTIONS_PER_ROUND = 5;
/** Messages of the chat before the question. */
const HISTORY_MESSAGES = 50;

const tokens = { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const usage = { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: undefined } };

type Part = LanguageModelV3StreamPart;
const chunks: Part[] = [
  { type: 'text-start', id: '0' },
  ...['A ', 'short ', 'answer.'].map((delta): Part => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
];

const model = new MockLanguageModelV3({
  doStream: () => {
    const stream = simulateReadableStream({ chunks, initialDelayInMs: MODEL_DELAY_MS, chunkDelayInMs: null });
    return Promise.resolve({ stream });
  },
});

/** @param databaseUrl of a missing SQLite file, which is created */
export async function* measureAnswers(databaseUrl: string): AsyncGenerator<Ratio> {
  yield await withServer(databaseUrl, async ({ url }) => {
    const store = new RemoteStore({ url });
    const withParley = await listen(toNodeHandler(createAnswerHandler({ store, model })));
    const bare = await listen(answerBare);
    const questions: object[] = [];
    // Each question has a separate chat, because both handlers must read a history of the same length.
    for (let n = 0; n < (ROUNDS + WARM_UP_ROUNDS) * QUESTIONS_PER_ROUND; n++) questions.push(await newQuestion(store));
    const ask = (address: string, asked: readonly object[]) => {
      const left = [...asked];
      return async () => {
        const times: number[] = [];
        for (const body of left.splice(0, QUESTIONS_PER_ROUND)) times.push(await firstTokenMs(address, body));
        return times;
      };
    };
    try {
      const ways = { withParley: ask(withParley.url, questions), bare: ask(bare.url, questions) };
      const times = await mediansOfTurns(ways, ROUNDS, WARM_UP_ROUNDS);
      return ratioOf('first token of an answer against the handler without Parley', times.withParley, times.bare, 1.15);
    } finally {
      await Promise.all([withParley.close(), bare.close()]);
    }
  });
}

/** Saves a chat with a history. @returns the body of a request that asks the next question in it */
async function newQuestion(store: RemoteStore): Promise<object> {
  const id = crypto.randomUUID();
  const history = historyOf(HISTORY_MESSAGES, id);
  await store.createChat({ id, userId: 'local', title: 'Answers' });
  await store.saveMessages(
    id,
    history.map((message) => ({ id: message.id, name: message.role, content: { data: message } })),
  );
  const question = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text: 'And then?' }] };
  return { id, trigger: 'submit-message', messages: [...history, question] };
}

/** The handler of the AI SDK's documentation: the page sends the history. */
async function answerBare(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body: Buffer[] = [];
  for await (const chunk of incoming) body.push(chunk as Buffer);
  const { messages } = JSON.parse(Buffer.concat(body).toString()) as { messages: UIMessage[] };
  const result = streamText({ model, messages: await convertToModelMessages(messages) });
  void result.pipeUIMessageStreamToResponse(outgoing);
}

function historyOf(count: number, chatId: string): UIMessage[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `${chatId}-${n}`,
    role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: 'A sentence of some length, as people and models write them. '.repeat(5) }],
  }));
}

async function listen(
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}

/**
 * The time to the first text delta. The next request waits for the end of the response, so that no requests overlap.
 */
function firstTokenMs(url: string, body: object): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (incoming) => {
      let text = '';
      let firstMs: number | undefined;
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.includes('"text-delta"')) firstMs ??= performance.now() - begin;
      });
      incoming.on('end', () => (firstMs === undefined ? reject(new Error(`No token: ${text}`)) : resolve(firstMs)));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}
