/**
 * A separate process that sends the same small query at a steady pace, even while earlier queries wait, like
 * independent users. It responds to each message with the durations since the last message.
 */
import { Agent, request } from 'node:http';

/** The interval of queries, in milliseconds: within the rate limits of an address and a user. */
const PACE_MS = 25;

/** Maximum of waiting queries, so that a stopped server receives no more. */
const MAX_WAITING = 400;

export interface VictimOrder {
  url: string;
  /** Several users in turn: one would exceed the rate limit. */
  people: readonly { headers: Readonly<Record<string, string>>; query: string }[];
}

const agent = new Agent({ keepAlive: true });
let durations: number[] = [];
let asked = 0;
let timer: NodeJS.Timeout | undefined;
const waiting = new Set<number>();

function ask({ url, people }: VictimOrder): void {
  const person = people[asked++ % people.length];
  if (waiting.size >= MAX_WAITING || person === undefined) return;
  const began = performance.now();
  waiting.add(began);
  const headers = { 'content-type': 'application/json', ...person.headers };
  const end = () => {
    if (waiting.delete(began)) durations.push(performance.now() - began);
  };
  const asking = request(url, { method: 'POST', agent, headers }, (answer) => {
    answer.resume().once('close', end);
  });
  asking.once('error', end).end(JSON.stringify({ query: person.query }));
}

process.on('message', (order: VictimOrder | 'tell') => {
  if (order !== 'tell') {
    clearInterval(timer);
    timer = setInterval(() => ask(order), PACE_MS);
    return;
  }
  // Waiting queries count with their duration so far.
  const now = performance.now();
  process.send?.([...durations, ...Array.from(waiting, (began) => now - began)]);
  durations = [];
});
// The process ends with its parent.
process.once('disconnect', () => process.exit(0));
