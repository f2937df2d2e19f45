/** A subscription over Server-Sent Events without a socket, read result by result. */
import type { FormattedExecutionResult } from 'graphql';
import { onTestFinished } from 'vitest';
import type { Parley } from './parley.js';

export interface EventStream {
  /** The next result; undefined when the stream is complete. @throws Error if the stream is cut off */
  next(): Promise<FormattedExecutionResult | undefined>;
  /** The next `count` results. */
  take(count: number): Promise<FormattedExecutionResult[]>;
  /** All results until completion. */
  rest(): Promise<FormattedExecutionResult[]>;
  /** Closes the connection. */
  leave(): Promise<void>;
}

/** Subscribes until the end of the test. */
export async function openStream(
  parley: Pick<Parley, 'post'>,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<EventStream> {
  const response = await parley.post(JSON.stringify({ query, variables }), { accept: 'text/event-stream' });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const leave = () => reader.cancel().catch(() => {});
  onTestFinished(leave);
  let text = '';
  let isComplete = false;
  /** The next event that is not a comment; null at the end of the stream. */
  const nextBlock = async (): Promise<string | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (block !== '' && !block.startsWith(':')) return block;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  const next = async () => {
    if (isComplete) return undefined;
    const block = await nextBlock();
    if (block === null) throw new Error('the stream broke off');
    const [, event, data] = /^event: (\w+)\ndata:\s?([^]*)$/.exec(block) ?? [];
    if (event === 'next' && data !== undefined) return JSON.parse(data) as FormattedExecutionResult;
    if (event !== 'complete') throw new Error(`not an event: ${block}`);
    isComplete = true;
    return undefined;
  };
  const stream: EventStream = {
    next,
    leave,
    async take(count) {
      const answers: FormattedExecutionResult[] = [];
      while (answers.length < count) {
        const answer = await next();
        if (answer === undefined) throw new Error(`complete after ${answers.length} of ${count} answers`);
        answers.push(answer);
      }
      return answers;
    },
    async rest() {
      const answers: FormattedExecutionResult[] = [];
      for (let answer = await next(); answer !== undefined; answer = await next()) answers.push(answer);
      return answers;
    },
  };
  return stream;
}
