/**
 * A fake model, so that the example runs without a key. Replace it with a real one:
 *
 *     import { anthropic } from '@ai-sdk/anthropic';
 *     export const model = anthropic('the name of a model');
 */
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const tokens = { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const usage = { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: undefined } };
const finish = (unified) => ({ type: 'finish', finishReason: { unified, raw: undefined }, usage });

export const model = new MockLanguageModelV3({
  async doStream({ prompt }) {
    const chunks = answerTo(prompt.filter(({ role }) => role !== 'system'));
    return { stream: simulateReadableStream({ chunks, chunkDelayInMs: 50 }) };
  },
});

/** Calls the tool for questions about the weather; repeats other questions. */
function answerTo(said) {
  const last = said.at(-1);
  const questions = said.filter(({ role }) => role === 'user').map(({ content }) => content[0].text);
  const city = /weather in (\w+)/.exec(questions.at(-1) ?? '')?.[1];
  if (city !== undefined && last.role === 'user') {
    const call = { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: 'weather' };
    return [{ ...call, input: JSON.stringify({ city }) }, finish('tool-calls')];
  }
  const text =
    last.role === 'tool'
      ? `In ${city} it is ${JSON.stringify(last.content[0].output.value)}.`
      : `So far you have asked: ${questions.map((question) => `“${question}”`).join(', ')}.`;
  const deltas = text.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: '0', delta }));
  return [{ type: 'text-start', id: '0' }, ...deltas, { type: 'text-end', id: '0' }, finish('stop')];
}
