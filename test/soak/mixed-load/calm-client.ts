/** A process of its own that asks the same ordinary question over and over: what else its machine does it does not do. */
import { setTimeout as pause } from 'node:timers/promises';

/** How often, in milliseconds. */
const PACE_MS = 100;

export interface CalmOrder {
  urls: readonly string[];
  headers: Readonly<Record<string, string>>;
  query: string;
  variables: object;
}

export interface CalmSample {
  url: string;
  /** In milliseconds since 1970. */
  start: number;
  durationMs: number;
  isAnswered: boolean;
}

async function ask(url: string, { headers, query, variables }: CalmOrder): Promise<CalmSample> {
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

process.once('message', (order: CalmOrder) => {
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
