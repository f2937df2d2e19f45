/** Hundreds of answers in chats whose pages are closed, and whose processes are killed: each question has its answers. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { AnswerProcess } from './answer-process.js';
import { ChaosChat, stepsOf } from './chaos-chat.js';

const CHATS = 8;
const STEPS_OF_A_CHAT = 90;
const MIN_ANSWERS = 200;
/** Between two kills. */
const KILL_MS = { min: 2_000, max: 8_000 };

it(`answers each question as requested, with closed pages and killed processes (seed ${inject('seed')})`, async () => {
  const seed = inject('seed');
  const parley = await startServer({ DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true' });
  const { url } = parley;
  const processes = [new AnswerProcess(url), new AnswerProcess(url)];
  const chats = Array.from({ length: CHATS }, (_, n) => new ChaosChat(`c${n}`, { url, processes }, parley));

  const over = new AbortController();
  const kill = async () => {
    for (const [n, ms] of fc.sample(fc.noShrink(fc.integer(KILL_MS)), { seed, numRuns: 1_000 }).entries()) {
      await pause(ms, undefined, { signal: over.signal });
      const process = processes[n % processes.length]!;
      const from = Date.now();
      await process.killAndStartAgain();
      for (const { expected } of chats) expected.killed(process, from);
    }
  };
  const killing = kill().catch(() => {});
  await Promise.all(chats.map((chat, n) => chat.run(stepsOf(seed + n, STEPS_OF_A_CHAT))));
  over.abort();
  await killing;

  await Promise.all(chats.map((chat) => chat.end()));
  const results = await Promise.all(chats.map((chat) => chat.compare()));
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(results.reduce((sum, { answers }) => sum + answers, 0)).toBeGreaterThanOrEqual(MIN_ANSWERS);
});
