/** The model: MODEL at MODEL_BASE_URL with OpenAI's protocol, or "echo", which needs neither endpoint nor key. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { simulateReadableStream, type LanguageModel } from 'ai';

type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>;
type Prompt = Parameters<Model['doStream']>[0]['prompt'];
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const { MODEL = 'echo', MODEL_BASE_URL = 'http://127.0.0.1:11434/v1', MODEL_API_KEY } = process.env;
const ECHO_WORD_DELAY_MS = Number(process.env.ECHO_WORD_DELAY_MS ?? 50);

const NO_TOKENS = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
const finish = (unified: 'stop' | 'tool-calls'): Part => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: NO_TOKENS,
});

/** Repeats a question; calls a tool for "weather in CITY" and for "book in CITY", and repeats its output. */
function echo(prompt: Prompt): Part[] {
  const content = prompt.at(-1)?.content;
  const parts = typeof content === 'object' ? content : [];
  const part = parts.find(({ type }) => type !== 'file');
  const question = part?.type === 'text' ? part.text : '';
  const call = /(?<toolName>weather|book) in (?<city>\w+)/.exec(question)?.groups;
  if (call?.toolName !== undefined) {
    const input = JSON.stringify({ city: call.city });
    return [
      { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: call.toolName, input },
      finish('tool-calls'),
    ];
  }
  const output = part?.type === 'tool-result' && (part.output.type === 'text' ? part.output.value : 'Declined.');
  const deltas = (output || `Echo: ${question}`).split(/(?<= )/);
  return [
    { type: 'text-start', id: '0' },
    ...deltas.map((delta): Part => ({ type: 'text-delta', id: '0', delta })),
    { type: 'text-end', id: '0' },
    finish('stop'),
  ];
}

const echoModel: Model = {
  specificationVersion: 'v3',
  provider: 'example',
  modelId: 'echo',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The echo model only streams')),
  doStream: async ({ prompt }) => ({
    stream: simulateReadableStream({ chunks: echo(prompt), chunkDelayInMs: ECHO_WORD_DELAY_MS }),
  }),
};

export const model: LanguageModel =
  MODEL === 'echo'
    ? echoModel
    : createOpenAICompatible({ name: 'model', baseURL: MODEL_BASE_URL, apiKey: MODEL_API_KEY })(MODEL);
