/** Runs the known attacks one by one, and prints the figures of each. */
import { setTimeout as pause } from 'node:timers/promises';
import { excesses, MAX_TURN_MS, memoryBudget } from '../bounds.js';
import { startWatched, type Turns, type WatchedServer } from '../server.js';
import { AttackClient } from './attack-client.js';
import { KNOWN_ATTACKS, SHARE_LENGTHS, type KnownAttack, type Shares } from './attacks.js';
import { writeLargeMessages } from './large-messages.js';

/** The interval and the maximum of checks whether a server is idle: work can continue after an answer. */
const ROUND_MS = 250;
const MAX_ROUNDS = 60;

/** The longest turn of an idle server, in milliseconds, and the number of idle intervals at the end. */
const IDLE_TURN_MS = 20;
const IDLE_ROUNDS = 4;

const MIB = 2 ** 20;

const CREATE = `mutation($i:CreateShareInput!){createShare(input:$i){... on SharePayload{share{token}}}}`;

/** @returns whether all bounds held */
export async function runKnownAttacks(databaseUrl: string): Promise<boolean> {
  await writeLargeMessages(databaseUrl);
  const shares = await createShares(databaseUrl);
  console.log(`| attack | longest turn, ms of CPU (${MAX_TURN_MS}) | memory, MiB (budget) | s | answer | exceeds |`);
  console.log('| --- | --- | --- | --- | --- | --- |');
  let isBounded = true;
  for (const attack of KNOWN_ATTACKS) isBounded = (await runOne(databaseUrl, attack, shares)) && isBounded;
  return isBounded;
}

async function createShares(databaseUrl: string): Promise<Shares> {
  const server = await startWatched(databaseUrl);
  const client = await AttackClient.to(server.url);
  const shares: Record<number, string> = {};
  for (const length of SHARE_LENGTHS) {
    const i = { chatId: 'large', place: { messageId: `large-${length - 1}` } };
    const response = await client.fetch(CREATE, { i });
    const token = /parley_share_[\w-]+/.exec(response)?.[0];
    if (token === undefined) throw new Error(`The share of ${length} messages was refused: ${response.slice(0, 300)}`);
    shares[length] = token;
  }
  client.stop();
  await server.stop();
  return shares as Shares;
}

/** @returns whether its bounds held */
async function runOne(databaseUrl: string, attack: KnownAttack, shares: Shares): Promise<boolean> {
  const server = await startWatched(databaseUrl, attack.heapMib);
  const client = await AttackClient.to(server.url);
  try {
    // The first operation compiles code.
    await client.post('{ chat(id: "long") { activeBranch { messages(first: 5) { edges { node { id text } } } } } }');
    await idle(server);
    await server.turns(true);
    const began = performance.now();
    const answer = await attack.run(client, shares);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const turns = await idle(server);
    if (turns === null) {
      console.log(`| ${attack.name} | | | ${seconds} | ${answer} | **the server ended: ${server.reason()}** |`);
      return false;
    }
    const budget = memoryBudget(attack.operations, turns.heapLimitBytes);
    const memory = `${(turns.grownBytes / MIB).toFixed(0)} (${(budget / MIB).toFixed(0)})`;
    const found = excesses(turns, attack.operations);
    console.log(
      `| ${attack.name} | ${turns.turnMs.toFixed(0)} | ${memory} | ${seconds} | ${answer} | ${found.join(', ') || 'nothing'} |`,
    );
    return found.length === 0;
  } finally {
    client.stop();
    await server.stop();
  }
}

/** Waits until a server is idle. @returns the largest figures until then; null if the process has ended */
async function idle(server: WatchedServer): Promise<Turns | null> {
  let [turnMs, grownBytes] = [0, 0];
  for (let round = 1, quiet = 0; ; round++) {
    await pause(ROUND_MS);
    const turns = await server.turns();
    if (turns === null) return null;
    quiet = turns.turnMs < IDLE_TURN_MS ? quiet + 1 : 0;
    turnMs = Math.max(turnMs, turns.turnMs);
    grownBytes = Math.max(grownBytes, turns.grownBytes);
    if (quiet === IDLE_ROUNDS || round === MAX_ROUNDS) return { ...turns, turnMs, grownBytes };
  }
}
