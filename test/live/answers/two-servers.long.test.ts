/** Answers in a chat whose pages and answer processes use different servers of one PostgreSQL. */
import { expect, it } from 'vitest';
import type { ThreadState } from '@parley/client';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import { startServer } from '../../support/server/server-process.js';
import { AnswerPage } from './answer-page.js';
import { AnswerProcess } from './answer-process.js';
import { ExpectedAnswers } from './expected-answers.js';

const endOf = ({ thread }: ThreadState) => thread.at(-1);
const isGrowing = (state: ThreadState) => endOf(state)?.status === 'streaming' && endOf(state)!.text.length > 20;
const hasEnded = ({ thread, drafts, status }: ThreadState) =>
  status === 'live' && drafts.length === 0 && thread.at(-1)?.name === 'assistant';

it('pages of two servers show, stop and resume the same answers, one for each question', async () => {
  const settings = { DATABASE_URL: (await startOwnPostgresql()).url };
  const servers = [await startServer({ ...settings, MIGRATE_ON_START: 'true' }), await startServer(settings)];
  const processes = servers.map(({ url }) => new AnswerProcess(url));
  const expected = new ExpectedAnswers('c');
  const [here, there] = servers.map(({ url }) => new AnswerPage({ url, processes }, 'c', expected)) as [
    AnswerPage,
    AnswerPage,
  ];
  const both = (isSo: (state: ThreadState) => boolean) => {
    const endAt = async ({ store }: AnswerPage) => endOf(await store.when(isSo))!;
    return Promise.all([endAt(here), endAt(there)]);
  };

  await here.ask(expected.ask(20, 'ends'), 0, { isTwice: true });
  const [first, same] = await both(hasEnded);
  expect([same.id, same.text, same.data]).toEqual([first.id, first.text, first.data]);

  await here.ask(expected.ask(2_000, 'ends'), 0);
  const [question] = (await here.store.when(isGrowing)).thread.slice(-2);
  await there.store.when(isGrowing);
  await there.stop();
  for (const { data } of await both(hasEnded)) expect(data).toMatchObject({ metadata: { status: 'incomplete' } });

  const regenerated = expected.find(question!.text)!;
  expect(await there.regenerate(regenerated, question!, 1)).toBe(true);
  const [one, other] = await both(isGrowing);
  expect(one.id).toBe(other.id);
  const from = Date.now();
  await processes[1]!.killAndStartAgain();
  expected.killed(processes[1]!, from);
  await here.store.when((state) => endOf(state)?.status === 'abandoned');
  await here.resume(question!.id, 0);
  for (const { id, data } of await both(hasEnded)) {
    expect([id, data]).toMatchObject([one.id, { metadata: { status: 'incomplete' } }]);
  }
  await here.store.loadAll();
  const saved = here.store.getState().allMessages.map((message) => ({ ...message, seq: undefined }));
  expect(expected.compare(saved)).toEqual({ answers: 3, failures: [] });
});
