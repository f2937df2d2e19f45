/** Measures the duration of an ordinary query during the load. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ProbeRequest, ProbeSample } from './latency-probe-client.js';
import { Client } from './client.js';
import { Conversation } from './conversation.js';
import { READ } from './documents.js';
import type { Counters } from './counters.js';
import { userAt } from './users.js';
import type { MeasuredServer } from './scene.js';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/** Turns of the chat that the query reads. */
const TURNS = 20;

/** A client number that no other client has. */
const PERSON = 900;

export class LatencyProbe {
  /** Durations of the last minute, and of all. */
  readonly #durations = new Map<MeasuredServer, number[]>();
  readonly #samples = new Map<MeasuredServer, ProbeSample[]>();

  private constructor(
    private readonly measured: readonly MeasuredServer[],
    private readonly counters: Counters,
    private readonly child: ChildProcess,
  ) {
    child.on('message', (sample) => this.#take(sample as ProbeSample));
  }

  static async start(measured: readonly MeasuredServer[], counters: Counters): Promise<LatencyProbe> {
    const headers = await userAt(PERSON, 'latency-probe');
    for (const place of measured) {
      const chat = new Conversation('latency-probe', new Client(place, headers, counters));
      await chat.begin();
      for (let n = 1; n < TURNS; n++) await chat.save();
    }
    const urls = measured.map(({ url }) => url);
    const order: ProbeRequest = { urls, headers, query: READ, variables: { id: 'latency-probe', words: 'porto' } };
    const child = fork('test/soak/mixed-load/latency-probe-client.ts', {
      cwd: PROJECT,
      execArgv: ['--import', './scripts/typescript.mjs'],
      env: {},
    });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    child.send(order);
    return new LatencyProbe(measured, counters, child);
  }

  /** Ends the queries. */
  stop(): void {
    this.child.kill('SIGKILL');
  }

  /** Durations of the last minute's queries, in milliseconds, except those during a fault. */
  take(place: MeasuredServer): Waits {
    const durations = this.#durations.get(place) ?? [];
    this.#durations.delete(place);
    return waitsOf(durations);
  }

  /** Durations of the queries that ran in any of these intervals. */
  during(place: MeasuredServer, times: readonly (readonly [number, number])[]): Waits {
    const samples = this.#samples.get(place) ?? [];
    const isMeant = ({ start, durationMs }: ProbeSample) =>
      times.some(([from, to]) => start < to && start + durationMs > from);
    return waitsOf(samples.filter(isMeant).map(({ durationMs }) => durationMs));
  }

  #take(sample: ProbeSample): void {
    const { url, start, durationMs, isAnswered } = sample;
    const place = this.measured.find((each) => each.url === url)!;
    if (place.faultWindow.excuses(start)) return;
    if (!isAnswered) return this.counters.noteUnexpected(`${place.name}: the latency probe got no answer`);
    const durations = this.#durations.get(place) ?? [];
    durations.push(durationMs);
    this.#durations.set(place, durations);
    const samples = this.#samples.get(place) ?? [];
    samples.push(sample);
    this.#samples.set(place, samples);
  }
}

/** Milliseconds: NaN for an empty list. */
export interface Waits {
  p50: number;
  p99: number;
  longest: number;
}

function waitsOf(durations: number[]): Waits {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}
