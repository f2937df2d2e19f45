/** Subscribes over each transport, as clients of each kind do. */
import type { FormattedExecutionResult } from 'graphql';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWebSocketClient } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** The target of a subscription. */
export interface Followed {
  /** The HTTP endpoint. */
  url: string;
  query: string;
  variables?: Record<string, unknown>;
}

/** The results, until the server completes; returning from the iterator unsubscribes. */
export type Results = AsyncIterator<FormattedExecutionResult, unknown, undefined>;

export type Transport = (followed: Followed) => Results;

export const transports: Record<string, Transport> = {
  'over WebSocket': ({ url, ...operation }) => {
    const client = createWebSocketClient({
      url: url.replace('http:', 'ws:'),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    onTestFinished(async () => client.dispose());
    return client.iterate(operation) as unknown as Results;
  },
  'by events of a POST request': ({ url, ...operation }) =>
    streamed(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(operation),
    }),
  'by events of a GET request': ({ url, query, variables = {} }) =>
    streamed(`${url}?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`, {
      headers: { accept: 'text/event-stream' },
    }),
  'with a client of graphql-sse': ({ url, ...operation }) => {
    const client = createSseClient({ url, retryAttempts: 0 });
    onTestFinished(() => client.dispose());
    return client.iterate(operation) as unknown as Results;
  },
};

/** The results of an event stream. @throws Error if it ends without a complete event, or is not an event stream */
function streamed(url: string, init: RequestInit): Results {
  const control = new AbortController();
  onTestFinished(() => control.abort());
  const results = read(url, { ...init, signal: control.signal });
  return {
    next: () => results.next(),
    return: () => {
      control.abort();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

async function* read(url: string, init: RequestInit): AsyncGenerator<FormattedExecutionResult, void, undefined> {
  const response = await fetch(url, init);
  const type = response.headers.get('content-type');
  if (type !== 'text/event-stream') throw new Error(`${response.status} ${type}: ${await response.text()}`);
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop()!;
    for (const event of events) {
      const { name, data } = fieldsOf(event);
      if (name === 'complete') return;
      // Other lines are comments, which keep the connection open.
      if (name === 'next') yield JSON.parse(data) as FormattedExecutionResult;
    }
  }
  throw new Error('The stream broke off');
}

function fieldsOf(event: string): { name: string | undefined; data: string } {
  const lines = event.split('\n');
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
  return { name: valuesOf('event')[0], data: valuesOf('data').join('\n') };
}
