/** Hostile clients at each server whose memory is measured. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../client.js';
import { Conversation } from '../conversation.js';
import type { FloodReport } from '../flood-report.js';
import type { Counters } from '../counters.js';
import { addressOf, userAt } from '../users.js';
import type { MeasuredServer } from '../scene.js';
import type { Attack, Target } from './attack.js';
import { CONNECTIONS } from './connections.js';
import { IMPORT_FLOODS, ZIP_BOMB } from './import-floods.js';
import { MEMORY_FLOODS } from './memory-floods.js';
import { REQUESTS } from './requests.js';
import { OWNER } from './seed.js';
import { SHARE_FLOODS } from './share-floods.js';
import { SOCKETS } from './sockets.js';
import { WORK_FLOODS } from './work-floods.js';

/** The interval of attacks, in milliseconds. */
const PACE_MS = 1_500;

/** Turns of the chat of a hostile user. */
const TURNS = 30;

/** Client numbers that no other client has: as many addresses as there are attacks in some minutes. */
const FIRST_USER = 1_000;
const USER_COUNT = 500;

const ATTACKS = [...REQUESTS, ...CONNECTIONS, ...SOCKETS, ZIP_BOMB];

/** Floods run one after the other, this many milliseconds apart, so that the effect of each is visible. */
const FLOODS = [...SHARE_FLOODS, ...WORK_FLOODS, ...MEMORY_FLOODS, ...IMPORT_FLOODS];
const RECOVERY_MS = 2_000;

/** Users of the floods: four share an address. */
const CROWD = 20;

/** Runs until it is stopped. @returns the function that stops it, which settles after the last attack */
export async function startHostile(
  places: readonly MeasuredServer[],
  counters: Counters,
  floods: FloodReport,
): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const runs = await Promise.all(
    places.map(async (place, n) => {
      const user = await userAt(FIRST_USER + USER_COUNT + n, 'mallory');
      const chat = new Conversation('mallory', new Client(place, user, counters));
      await chat.begin();
      for (let turn = 0; turn < TURNS; turn++) await chat.save();
      const owner = await userAt(FIRST_USER + USER_COUNT + n, OWNER);
      const people = await Promise.all(
        Array.from({ length: CROWD }, (_, i) => userAt(FIRST_USER + 2 * USER_COUNT + (i >> 2), `eve-${i}`)),
      );
      const targetOf: TargetOf = (address) => ({ url: place.url, address, user, owner, people });
      return () =>
        Promise.all([
          attackOn(place, targetOf, counters, stopping.signal),
          floodAll(place, targetOf, counters, floods, stopping.signal),
        ]);
    }),
  );
  const ended = Promise.all(runs.map((run) => run()));
  return async () => {
    stopping.abort();
    await ended;
  };
}

type TargetOf = (address: Target['address']) => Target;

async function attackOn(
  place: MeasuredServer,
  targetOf: TargetOf,
  counters: Counters,
  signal: AbortSignal,
): Promise<void> {
  // The next attack starts before slow ones have ended.
  const going = new Set<Promise<void>>();
  for (let n = 0; !signal.aborted; n++) {
    const attack = ATTACKS[n % ATTACKS.length]!;
    const target = targetOf(addressOf(FIRST_USER + (n % USER_COUNT)));
    const one = attackOnce(place, attack, target, counters).finally(() => going.delete(one));
    going.add(one);
    await pause(PACE_MS, undefined, { signal }).catch(() => {});
  }
  await Promise.all(going);
}

async function floodAll(
  place: MeasuredServer,
  targetOf: TargetOf,
  counters: Counters,
  floods: FloodReport,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const flood = FLOODS[n % FLOODS.length]!;
    const start = Date.now();
    await attackOnce(place, flood, targetOf(addressOf(FIRST_USER)), counters);
    floods.note(place, flood.name, start);
    await pause(RECOVERY_MS, undefined, { signal }).catch(() => {});
  }
}

async function attackOnce(
  place: MeasuredServer,
  { name, make, expected }: Attack,
  target: Target,
  counters: Counters,
): Promise<void> {
  const start = Date.now();
  counters.attacks++;
  const outcome = await make(target).catch((error: unknown) => `failed: ${String(error)}`);
  if (expected.includes(outcome)) return;
  if (place.faultWindow.excuses(start)) counters.excused++;
  else counters.noteUnexpected(`${place.name}, ${name}: ${outcome} instead of ${expected.join(' or ')}`);
}
