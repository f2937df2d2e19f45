/** `--model echo`: repeats the question word by word, for trials and tests. */
import { setTimeout as pause } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import type { AnswerModel } from './model.js';
import type { ChainMessage } from './parley-server.js';

const TITLE_WORDS = 6;

/** @param wordDelayMs the time before each word */
export function echoModel(wordDelayMs: number): AnswerModel {
  return {
    name: 'echo',
    answer: (messages, signal) => echo(messages, wordDelayMs, signal),
    title: async (question) => question.trim().split(/\s+/).slice(0, TITLE_WORDS).join(' '),
  };
}

async function* echo(
  messages: readonly ChainMessage[],
  wordDelayMs: number,
  signal: AbortSignal,
): AsyncGenerator<UIMessageChunk, void> {
  yield { type: 'start' };
  yield { type: 'text-start', id: '0' };
  for (const delta of `Echo: ${messages.at(-1)?.text ?? ''}`.split(/(?<=\s)(?=\S)/)) {
    if (wordDelayMs > 0) await pause(wordDelayMs, undefined, { signal });
    yield { type: 'text-delta', id: '0', delta };
  }
  yield { type: 'text-end', id: '0' };
  yield { type: 'finish' };
}
