/** Other users with small queries: their delay is the cost of an operation. */
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { quantile } from '../../bench/measuring/measure.js';
import { bearer } from '../../support/server/tokens.js';
import { VICTIMS } from './shapes.js';
import type { VictimOrder } from './victims-client.js';

const queryOf = (userId: string) =>
  `{ chat(id: "${userId}") { title activeBranch { messages(last: 20) { edges { node { id text siblingIndex } } } } } }`;

/** The lifetime of tokens, in seconds. */
const LIFETIME = 24 * 3_600;

/** In milliseconds. */
export interface Waits {
  p99: number;
  longest: number;
}

export interface Victims {
  /** Sends the queries to this server from now on. */
  ask(url: string): void;
  /** The durations of queries since the last call. */
  waits(): Promise<Waits>;
  stop(): void;
}

export async function startVictims(): Promise<Victims> {
  const people = await Promise.all(
    VICTIMS.map(async (userId, n) => {
      const headers = { ...(await bearer(userId, false, LIFETIME)), 'x-forwarded-for': `10.0.0.${n}` };
      return { headers, query: queryOf(userId) };
    }),
  );
  const child = fork(new URL('./victims-client.ts', import.meta.url), {
    execArgv: ['--import', './scripts/typescript.mjs'],
  });
  return {
    ask: (url) => void child.send({ url, people } satisfies VictimOrder),
    waits: async () => {
      const reported = once(child, 'message') as Promise<[number[]]>;
      child.send('tell');
      const [durations] = await reported;
      return durations.length === 0
        ? { p99: 0, longest: 0 }
        : { p99: quantile(durations, 0.99), longest: Math.max(...durations) };
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
