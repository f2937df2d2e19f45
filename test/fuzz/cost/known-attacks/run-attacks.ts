/** Runs the known attacks one by one, and prints the figures of each. */
import { excesses, MAX_TURN_MS, memoryBudget } from '../bounds.js';
import { startWatched } from '../server.js';
import { sharesOn, type Shares } from '../shares.js';
import { AttackClient } from './attack-client.js';
import { KNOWN_ATTACKS, SHARED_ENDS, type KnownAttack } from './attacks.js';
import { writeLargeMessages } from './large-messages.js';

/** Work can continue after an answer: the duration of no work at its end, in milliseconds. */
const IDLE_MS = 1_000;

const MIB = 2 ** 20;

/** @returns whether all bounds held */
export async function runKnownAttacks(databaseUrl: string): Promise<boolean> {
  await writeLargeMessages(databaseUrl);
  const shares = await sharesOn(databaseUrl, SHARED_ENDS);
  console.log(`| attack | longest turn, ms of CPU (${MAX_TURN_MS}) | memory, MiB (budget) | s | answer | exceeds |`);
  console.log('| --- | --- | --- | --- | --- | --- |');
  let isBounded = true;
  for (const attack of KNOWN_ATTACKS) isBounded = (await runOne(databaseUrl, attack, shares)) && isBounded;
  return isBounded;
}

/** @returns whether its bounds held */
async function runOne(databaseUrl: string, attack: KnownAttack, shares: Shares): Promise<boolean> {
  const server = await startWatched(databaseUrl, attack.heapMib);
  const client = await AttackClient.to(server.url);
  try {
    // The first operation compiles code.
    await client.post('{ chat(id: "long") { activeBranch { messages(first: 5) { edges { node { id text } } } } } }');
    await server.untilIdle(IDLE_MS);
    await server.turns(true);
    const began = performance.now();
    const answer = await attack.run(client, shares);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const turns = await server.untilIdle(IDLE_MS);
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
