/** The time until a page has the first token of an answer, with Parley and without. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RemoteStore } from '@parley/context';
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';
import { convertToModelMessages, simulateReadableStream, streamText, type UIMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { medians } from './measure.js';
import { ratioOf, type Ratio } from './report.js';
import { withServer } from './server.js';

/** Between the call of the model and its first token. */
const MODEL_DELAY_MS = 50;
const ROUNDS = 20;
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

/** @param databaseUrl of a SQLite file that does not exist yet */
export async function* measureAnswers(databaseUrl: string): AsyncGenerator<Ratio> {
  yield await withServer(databaseUrl, async ({ url }) => {
    const store = new RemoteStore({ url });
    const history = historyOf(HISTORY_MESSAGES);
    await store.createChat({ id: 'c', userId: 'local', title: 'Answers' });
    await store.saveMessages(
      'c',
      history.map((message) => ({ id: message.id, name: message.role, content: { data: message } })),
    );
    const withParley = await listen(toNodeHandler(createAnswerHandler({ store, model })));
    const bare = await listen(answerBare);
    let last = history.at(-1)!;
    const ask = (address: string) => async () => {
      const question = userMessage(crypto.randomUUID());
      const body = { id: 'c', trigger: 'submit-message', messages: [...history.slice(0, -1), last, question] };
      const answerId = await firstToken(address, body);
      // Each question follows the answer before it, as in a conversation.
      if (address === withParley.url) last = { id: answerId, role: 'assistant', parts: [] };
    };
    try {
      const times = await medians({ withParley: ask(withParley.url), bare: ask(bare.url) }, ROUNDS);
      return ratioOf('first token of an answer against the handler without Parley', times.withParley, times.bare, 1.15);
    } finally {
      await Promise.all([withParley.close(), bare.close()]);
    }
  });
}

/** The handler of the AI SDK's documentation: the page sends the history. */
async function answerBare(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body: Buffer[] = [];
  for await (const chunk of incoming) body.push(chunk as Buffer);
  const { messages } = JSON.parse(Buffer.concat(body).toString()) as { messages: UIMessage[] };
  const result = streamText({ model, messages: await convertToModelMessages(messages) });
  void result.pipeUIMessageStreamToResponse(outgoing);
}

function historyOf(count: number): UIMessage[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `m${n}`,
    role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: 'A sentence of some length, as people and models write them. '.repeat(5) }],
  }));
}

function userMessage(id: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text: 'And then?' }] };
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

/** Settles with the first text delta; the rest of the response is read in the background. @returns the id of the answer */
function firstToken(url: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.includes('"text-delta"')) resolve(/"messageId":"([^"]+)"/.exec(text)?.[1] ?? '');
      });
      incoming.on('end', () => reject(new Error(`No token: ${text}`)));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}
