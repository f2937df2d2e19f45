/** A client that reads continuously in a separate process, without parsing responses. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';

/** Starts or stops reading; responds with the number of responses. */
export type Order = { url: string; query: string } | 'stop';

/** The reader stops by itself after this time. */
const LONGEST_MS = 60_000;

const agent = new Agent({ keepAlive: true });
let until = 0;
let reading = Promise.resolve(0);

process.on('message', (order: Order) => {
  if (order === 'stop') {
    until = 0;
    void reading.then((count) => process.send!(count));
  } else {
    until = performance.now() + LONGEST_MS;
    reading = read(order);
    process.send!('reading');
  }
});

async function read({ url, query }: { url: string; query: string }): Promise<number> {
  let count = 0;
  for (; performance.now() < until; count++) {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const outgoing = request(url, { method: 'POST', agent, headers }).end(JSON.stringify({ query }));
    const [incoming] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    await once(incoming.resume(), 'end');
    if (incoming.statusCode !== 200) throw new Error(`The response has status ${incoming.statusCode}.`);
  }
  return count;
}
