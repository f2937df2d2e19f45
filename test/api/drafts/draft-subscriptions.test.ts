/** Subscriptions to drafts as docs/subscriptions.md describes them, sentence by sentence. */
import { describe, expect, test } from 'vitest';
import { openStream, type EventStream } from '../../support/server/event-stream.js';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const DRAFT = `subscription ($chatId: ID! = "c", $id: ID! = "d", $after: Int) {
  draft(chatId: $chatId, id: $id, after: $after) {
    __typename
    ... on DraftChunks { offset chunks length }
    ... on DraftStopping { requestedBy }
    ... on DraftFinished { message { id } branch { name } }
    ... on DraftDiscarded { id }
    ... on DraftAbandoned { length }
  }
}`;
const DRAFTS = `subscription ($chatId: ID! = "c") {
  drafts(chatId: $chatId) { draftId state draft { id length } message { id } }
}`;

async function mutate(parley: Parley, field: string, input: string): Promise<void> {
  const answer = await parley.ask(
    `mutation { ${field}(input: { chatId: "c", ${input} }) { __typename ... on Error { message } } }`,
  );
  expect(JSON.stringify(answer)).not.toContain('message');
}
const start = (parley: Parley, id = 'd') => mutate(parley, 'startDraft', `id: "${id}"`);
const append = (parley: Parley, offset: number, chunks: string[], id = 'd') =>
  mutate(parley, 'appendToDraft', `id: "${id}", offset: ${offset}, chunks: ${JSON.stringify(chunks)}`);
const finish = (parley: Parley, id = 'd') => mutate(parley, 'finishDraft', `id: "${id}"`);
async function deleteChat(parley: Parley): Promise<void> {
  const answer = await parley.ask('mutation { deleteChat(input: { id: "c" }) { __typename } }');
  expect(answer.errors).toBeUndefined();
}
const stop = (parley: Parley) => mutate(parley, 'stopDraft', 'id: "d"');
const discard = (parley: Parley, id = 'd') => mutate(parley, 'discardDraft', `id: "${id}"`);

/** A chat with a message a and a draft d. */
async function chatWithDraft(options: Parameters<typeof openParley>[0] = {}): Promise<Parley> {
  const parley = await openParley(options);
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: [userMessage('a')] });
  await start(parley);
  return parley;
}

/** The next answers, what the field says of them. */
async function take(stream: EventStream, count: number): Promise<unknown[]> {
  return (await stream.take(count)).map(({ data }) => Object.values(data as object)[0] as unknown);
}

const chunks = (offset: number, ...texts: string[]) => ({
  __typename: 'DraftChunks',
  offset,
  chunks: texts,
  length: offset + texts.length,
});
const FINISHED = { __typename: 'DraftFinished', message: { id: 'd' }, branch: { name: 'main' } };

describe('draft', () => {
  test('sends the existing chunks, then new ones, then the end of the draft', async () => {
    const parley = await chatWithDraft();
    await append(parley, 0, ['a', 'b']);
    await append(parley, 2, ['c']);
    const stream = await openStream(parley, DRAFT);
    expect(await take(stream, 1)).toEqual([chunks(0, 'a', 'b', 'c')]);
    await append(parley, 3, ['d']);
    expect(await take(stream, 1)).toEqual([chunks(3, 'd')]);
    await append(parley, 4, ['e', 'f']);
    await finish(parley);
    expect(await take(stream, 2)).toEqual([chunks(4, 'e', 'f'), FINISHED]);
    expect(await stream.next()).toBeUndefined();
  });

  test('continues after `after`, also in the middle of an append', async () => {
    const parley = await chatWithDraft();
    await append(parley, 0, ['a', 'b', 'c']);
    const stream = await openStream(parley, DRAFT, { after: 1 });
    expect(await take(stream, 1)).toEqual([chunks(1, 'b', 'c')]);
    await append(parley, 2, ['c', 'd']);
    expect(await take(stream, 1)).toEqual([chunks(3, 'd')]);
  });

  test('continues after more chunks than the server has yet', async () => {
    const parley = await chatWithDraft();
    const stream = await openStream(parley, DRAFT, { after: 2 });
    await append(parley, 0, ['a']);
    await append(parley, 1, ['b', 'c']);
    expect(await take(stream, 1)).toEqual([chunks(2, 'c')]);
    await finish(parley);
    expect(await take(stream, 1)).toEqual([FINISHED]);
    const ahead = await openStream(parley, DRAFT, { after: 9 });
    expect(await take(ahead, 1)).toEqual([FINISHED]);
  });

  test('sends all clients the same updates', async () => {
    const parley = await chatWithDraft();
    const early = await openStream(parley, DRAFT);
    await append(parley, 0, ['a']);
    expect(await take(early, 1)).toEqual([chunks(0, 'a')]);
    const late = await openStream(parley, DRAFT);
    expect(await take(late, 1)).toEqual([chunks(0, 'a')]);
    await append(parley, 1, ['b']);
    await finish(parley);
    for (const stream of [early, late]) {
      expect(await take(stream, 2)).toEqual([chunks(1, 'b'), FINISHED]);
      expect(await stream.next()).toBeUndefined();
    }
  });

  test('reports a requested stop once, before later chunks', async () => {
    const parley = await chatWithDraft();
    const stream = await openStream(parley, DRAFT);
    await append(parley, 0, ['a']);
    await stop(parley);
    await stop(parley);
    await append(parley, 1, ['b']);
    expect(await take(stream, 3)).toEqual([
      chunks(0, 'a'),
      { __typename: 'DraftStopping', requestedBy: 'local' },
      chunks(1, 'b'),
    ]);
    const late = await openStream(parley, DRAFT, { after: 2 });
    expect(await take(late, 1)).toEqual([{ __typename: 'DraftStopping', requestedBy: 'local' }]);
  });

  test('ends with DraftDiscarded when it is discarded, or its chat deleted', async () => {
    const parley = await chatWithDraft({ sweepIntervalMs: 20 });
    const stream = await openStream(parley, DRAFT);
    await discard(parley);
    expect(await take(stream, 1)).toEqual([{ __typename: 'DraftDiscarded', id: 'd' }]);
    expect(await stream.next()).toBeUndefined();
    await start(parley, 'e');
    const other = await openStream(parley, DRAFT, { id: 'e' });
    await deleteChat(parley);
    expect(await take(other, 1)).toEqual([{ __typename: 'DraftDiscarded', id: 'e' }]);
  });

  test('sends the chunks after `after` and the end of a finished draft', async () => {
    const parley = await chatWithDraft();
    await append(parley, 0, ['a', 'b']);
    await finish(parley);
    const stream = await openStream(parley, DRAFT, { after: 1 });
    expect(await take(stream, 2)).toEqual([chunks(1, 'b'), FINISHED]);
    expect(await stream.next()).toBeUndefined();
  });

  test('sends only the end when chunks are deleted, ten minutes after the end', async () => {
    const parley = await chatWithDraft({ databaseUrl: temporaryDatabaseUrl() });
    await append(parley, 0, ['a', 'b']);
    await append(parley, 2, ['c']);
    await finish(parley);
    await (await rawDatabase(parley.databaseUrl)).run('DELETE FROM draft_chunks WHERE "startOffset" = 0');
    expect(await take(await openStream(parley, DRAFT), 1)).toEqual([FINISHED]);
    expect(await take(await openStream(parley, DRAFT, { after: 2 }), 2)).toEqual([chunks(2, 'c'), FINISHED]);
  });

  test('continues after `after` on another server, and reports the stop again', async () => {
    const parley = await chatWithDraft({ databaseUrl: temporaryDatabaseUrl() });
    const other = await openParley({ databaseUrl: parley.databaseUrl, sweepIntervalMs: 20 });
    const stream = await openStream(parley, DRAFT);
    await append(parley, 0, ['a', 'b']);
    await stop(parley);
    expect(await take(stream, 2)).toMatchObject([chunks(0, 'a', 'b'), { __typename: 'DraftStopping' }]);
    await stream.leave();
    await append(parley, 2, ['c']);
    const resumed = await openStream(other, DRAFT, { after: 2 });
    const told = await take(resumed, 2);
    expect(told).toContainEqual(chunks(2, 'c'));
    expect(told).toContainEqual({ __typename: 'DraftStopping', requestedBy: 'local' });
    await append(parley, 3, ['d']);
    expect(await take(resumed, 1)).toEqual([chunks(3, 'd')]);
  });

  test('of a discarded draft does not follow a new draft with its id', async () => {
    const parley = await chatWithDraft({ databaseUrl: temporaryDatabaseUrl() });
    // It finds both by reading: the sweep comes much later.
    const other = await openParley({ databaseUrl: parley.databaseUrl, sweepIntervalMs: 3_600_000 });
    await append(parley, 0, ['a']);
    const [here, there] = [await openStream(parley, DRAFT), await openStream(other, DRAFT)];
    for (const stream of [here, there]) expect(await take(stream, 1)).toEqual([chunks(0, 'a')]);
    await discard(parley);
    await start(parley);
    await append(parley, 0, ['b', 'c', 'd']);
    expect(await take(await openStream(other, DRAFT), 1)).toEqual([chunks(0, 'b', 'c', 'd')]);
    for (const stream of [here, there]) {
      expect(await take(stream, 1)).toEqual([{ __typename: 'DraftDiscarded', id: 'd' }]);
      expect(await stream.next()).toBeUndefined();
    }
  });

  test('of a message sends only the end', async () => {
    const parley = await chatWithDraft();
    const stream = await openStream(parley, DRAFT, { id: 'a' });
    expect(await take(stream, 1)).toEqual([{ ...FINISHED, message: { id: 'a' } }]);
    expect(await stream.next()).toBeUndefined();
  });

  test('of a missing or foreign draft is refused', async () => {
    const parley = await chatWithDraft();
    const answers = async (variables: Record<string, unknown>) =>
      (await (await openStream(parley, DRAFT, variables)).rest()) as { errors: { message: string }[] }[];
    expect((await answers({ id: 'x' }))[0]!.errors[0]).toMatchObject({
      message: 'Draft "x" not found in chat "c"',
      extensions: { code: 'NOT_FOUND' },
    });
    expect((await answers({ chatId: 'x' }))[0]!.errors[0]).toMatchObject({ message: 'Chat "x" not found' });
    expect((await answers({ after: -1 }))[0]!.errors[0]).toMatchObject({ message: 'after must not be negative: -1' });
    const foreign = await openStream(
      { post: (body, headers) => parley.post(body, { ...headers, 'x-user-id': 'ann' }) },
      DRAFT,
    );
    expect((await foreign.rest())[0]).toMatchObject({ errors: [{ message: 'Chat "c" not found' }] });
  });

  test('reports an abandoned draft, and continues when a writer does', async () => {
    const parley = await chatWithDraft({ databaseUrl: temporaryDatabaseUrl(), sweepIntervalMs: 20 });
    await append(parley, 0, ['a']);
    const stream = await openStream(parley, DRAFT);
    expect(await take(stream, 1)).toEqual([chunks(0, 'a')]);
    await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
    expect(await take(stream, 1)).toEqual([{ __typename: 'DraftAbandoned', length: 1 }]);
    const { data } = await parley.ask('{ chat(id: "c") { drafts { state } } }');
    expect(data).toEqual({ chat: { drafts: [{ state: 'ABANDONED' }] } });
    await append(parley, 1, ['b']);
    expect(await take(stream, 1)).toEqual([chunks(1, 'b')]);
  });
});

describe('drafts', () => {
  test('sends the open drafts, then the start and end of drafts', async () => {
    const parley = await chatWithDraft();
    await append(parley, 0, ['a']);
    const stream = await openStream(parley, DRAFTS);
    expect(await take(stream, 1)).toEqual([
      { draftId: 'd', state: 'STARTED', draft: { id: 'd', length: 1 }, message: null },
    ]);
    await start(parley, 'e');
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'e', state: 'STARTED' }]);
    await finish(parley);
    expect(await take(stream, 1)).toEqual([{ draftId: 'd', state: 'FINISHED', draft: null, message: { id: 'd' } }]);
    await discard(parley, 'e');
    expect(await take(stream, 1)).toEqual([{ draftId: 'e', state: 'DISCARDED', draft: null, message: null }]);
  });

  test('sends a later subscriber the same', async () => {
    const parley = await chatWithDraft();
    const early = await openStream(parley, DRAFTS);
    expect(await take(early, 1)).toMatchObject([{ draftId: 'd', state: 'STARTED' }]);
    await start(parley, 'e');
    const late = await openStream(parley, DRAFTS);
    expect(await take(late, 2)).toMatchObject([{ draftId: 'd' }, { draftId: 'e' }]);
    await finish(parley);
    expect(await take(early, 2)).toMatchObject([{ draftId: 'e' }, { draftId: 'd', state: 'FINISHED' }]);
    expect(await take(late, 1)).toMatchObject([{ draftId: 'd', state: 'FINISHED' }]);
  });

  test('reports the branch that a draft gets with its first content', async () => {
    const parley = await chatWithDraft();
    await save(parley, { chatId: 'c', messages: [userMessage('b')] });
    const stream = await openStream(
      parley,
      'subscription { drafts(chatId: "c") { draftId state draft { branch { name isActive } } } }',
    );
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'd' }]);
    await mutate(parley, 'startDraft', 'id: "e", parentId: "a"');
    await append(parley, 0, [''], 'e');
    await append(parley, 1, ['x'], 'e');
    await append(parley, 2, ['y'], 'e');
    await discard(parley);
    expect(await take(stream, 3)).toMatchObject([
      { draftId: 'e', state: 'STARTED' },
      { draftId: 'e', state: 'STARTED', draft: { branch: { name: 'main-v2', isActive: true } } },
      { draftId: 'd', state: 'DISCARDED' },
    ]);
  });

  test('reports an abandoned draft that an append without chunks continues', async () => {
    const parley = await chatWithDraft({ databaseUrl: temporaryDatabaseUrl(), sweepIntervalMs: 20 });
    const stream = await openStream(parley, DRAFTS);
    expect(await take(stream, 1)).toMatchObject([{ state: 'STARTED' }]);
    await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
    expect(await take(stream, 1)).toMatchObject([{ state: 'ABANDONED' }]);
    await append(parley, 0, []);
    expect(await take(stream, 1)).toMatchObject([{ state: 'STARTED', draft: { length: 0 } }]);
  });

  test('reports an abandoned and continued draft, and ends with the chat', async () => {
    const parley = await chatWithDraft({ databaseUrl: temporaryDatabaseUrl(), sweepIntervalMs: 20 });
    const stream = await openStream(parley, DRAFTS);
    expect(await take(stream, 1)).toMatchObject([{ state: 'STARTED' }]);
    await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
    expect(await take(stream, 1)).toMatchObject([{ state: 'ABANDONED', draft: { id: 'd' } }]);
    await append(parley, 0, ['a']);
    expect(await take(stream, 1)).toMatchObject([{ state: 'STARTED' }]);
    await deleteChat(parley);
    expect(await take(stream, 1)).toEqual([{ draftId: 'd', state: 'DISCARDED', draft: null, message: null }]);
    expect(await stream.next()).toBeUndefined();
  });
});
