/** A process that repeats an ordinary query: its measurements exclude the work of the test process. */
import { setTimeout as pause } from 'node:timers/promises';

/** The interval of the queries, in milliseconds. */
const PACE_MS = 100;

export interface ProbeRequest {
  urls: readonly string[];
  headers: Readonly<Record<string, string>>;
  query: string;
  variables: object;
}

export interface ProbeSample {
  url: string;
  /** In milliseconds since 1970. */
  start: number;
  durationMs: number;
  isAnswered: boolean;
}

async function ask(url: string, { headers, query, variables }: ProbeRequest): Promise<ProbeSample> {
  const start = Date.now();
  const began = performance.now();
  const isAnswered = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
    .then(async (response) => (await response.text()).startsWith('{"data":{"chat":{'))
    .catch(() => false);
  return { url, start, durationMs: performance.now() - began, isAnswered };
}

process.once('message', (order: ProbeRequest) => {
  for (const url of order.urls) {
    void (async () => {
      for (;;) {
        process.send?.(await ask(url, order));
        await pause(PACE_MS);
      }
    })();
  }
});
// The process ends with its parent.
process.once('disconnect', () => process.exit(0));
