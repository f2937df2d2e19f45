/** The subscription draft. */
import { describe, expect, test } from 'vitest';
import { openStream } from '../../support/server/event-stream.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { mutate, start, append, finish, deleteChat, discard, chatWithDraft, take, chunks } from './draft-updates.js';

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

const stop = (parley: Parley) => mutate(parley, 'stopDraft', 'id: "d"');

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

  test('reports a requested stop once', async () => {
    const parley = await chatWithDraft();
    const stream = await openStream(parley, DRAFT);
    await append(parley, 0, ['a']);
    await stop(parley);
    await stop(parley);
    expect(await take(stream, 2)).toEqual([chunks(0, 'a'), { __typename: 'DraftStopping', requestedBy: 'local' }]);
    await append(parley, 1, ['b']);
    expect(await take(stream, 1)).toEqual([chunks(1, 'b')]);
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

  test('sends only the end when chunks are deleted, ten minutes after the end', async () => {
    const parley = await chatWithDraft({ databaseUrl: emptyDatabaseUrl() });
    await append(parley, 0, ['a', 'b']);
    await append(parley, 2, ['c']);
    await finish(parley);
    await (await rawDatabase(parley.databaseUrl)).run('DELETE FROM draft_chunks WHERE "startOffset" = 0');
    expect(await take(await openStream(parley, DRAFT), 1)).toEqual([FINISHED]);
    expect(await take(await openStream(parley, DRAFT, { after: 2 }), 2)).toEqual([chunks(2, 'c'), FINISHED]);
  });

  test('continues after `after` on another server, and reports the stop again', async () => {
    const parley = await chatWithDraft({ databaseUrl: emptyDatabaseUrl() });
    const other = await openParley({ databaseUrl: parley.databaseUrl, sweepIntervalMs: 20 });
    const stream = await openStream(parley, DRAFT);
    await append(parley, 0, ['a', 'b']);
    await stop(parley);
    expect(await take(stream, 2)).toMatchObject([chunks(0, 'a', 'b'), { __typename: 'DraftStopping' }]);
    await stream.leave();
    await append(parley, 2, ['c']);
    const resumed = await openStream(other, DRAFT, { after: 2 });
    const received = await take(resumed, 2);
    expect(received).toContainEqual(chunks(2, 'c'));
    expect(received).toContainEqual({ __typename: 'DraftStopping', requestedBy: 'local' });
    await append(parley, 3, ['d']);
    expect(await take(resumed, 1)).toEqual([chunks(3, 'd')]);
  });

  test('of a discarded draft does not follow a new draft with its id', async () => {
    const parley = await chatWithDraft({ databaseUrl: emptyDatabaseUrl() });
    // Both are found by reads: the sweep runs much later.
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
    const parley = await chatWithDraft({ databaseUrl: emptyDatabaseUrl(), sweepIntervalMs: 20 });
    await append(parley, 0, ['a']);
    const stream = await openStream(parley, DRAFT);
    expect(await take(stream, 1)).toEqual([chunks(0, 'a')]);
    await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
    expect(await take(stream, 1)).toEqual([{ __typename: 'DraftAbandoned', length: 1 }]);
    const { data } = await parley.ask('{ chat(id: "c") { drafts { edges { node { state } } } } }');
    expect(data).toEqual({ chat: { drafts: { edges: [{ node: { state: 'ABANDONED' } }] } } });
    await append(parley, 1, ['b']);
    expect(await take(stream, 1)).toEqual([chunks(1, 'b')]);
  });
});
