/**
 * The delay of an event from one server to followers on another. The same client saves on one server and follows on the
 * other, so that one clock measures both. The delay after the response of the save is negative if the event arrives
 * first. The delay after the request includes the save itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createChat, EVENTS, saveMessage, versionOf } from './chats.js';
import { openOperationsSocket } from './operations-socket.js';
import { startParley } from '../measuring/processes.js';

const EVENTS_MEASURED = 400;
const WARM_UP = 50;
const PAUSE_MS = 15;

/**
 * Prints the delays.
 * @param settings of both servers
 * @param isShared whether one server does both
 */
export async function printDelays(what: string, settings: Record<string, string>, isShared = false): Promise<void> {
  const here = await startParley(settings);
  const there = isShared ? here : await startParley(settings);
  const [writer, follower] = [await openOperationsSocket(here.url), await openOperationsSocket(there.url)];
  try {
    const chatId = 'told';
    await createChat(writer, chatId);
    await saveMessage(writer, chatId);
    let arrived: (at: number) => void = () => {};
    const next = () => new Promise<number>((resolve) => (arrived = resolve));
    const first = next();
    const after = (await versionOf(writer, chatId)) - 1;
    follower.subscribe(EVENTS, { chatId, after }, (_json, at) => arrived(at));
    await first;

    const times: Record<'sent' | 'answered', number[]> = { sent: [], answered: [] };
    for (let n = -WARM_UP; n < EVENTS_MEASURED; n++) {
      const event = next();
      const sent = performance.now();
      const [at, answered] = await Promise.all([event, saveMessage(writer, chatId)]);
      if (n >= 0) {
        times.sent.push(at - sent);
        times.answered.push(at - answered);
      }
      await pause(PAUSE_MS);
    }
    console.log(`| ${what} | ${range(times.sent)} | ${range(times.answered)} |`);
  } finally {
    await Promise.all([writer.close(), follower.close()]);
    await Promise.all([...new Set([here, there])].map((server) => server.stop()));
  }
}

export function printDelaysHead(): void {
  console.log(`\nMilliseconds until an event of a save arrives, of ${EVENTS_MEASURED}: median, 99th percentile\n`);
  console.log('| | since the save was sent | since its answer came |\n|---|---|---|');
}

function range(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1);
  return `${at(0.5)}, ${at(0.99)}`;
}
