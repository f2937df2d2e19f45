/** The subscription chatEvents and deleted chats, as docs/subscriptions.md describes them. */
import { describe, expect, test } from 'vitest';
import { openStream } from '../support/server/event-stream.js';
import { save, userMessage } from '../support/chats/operations.js';
import type { Parley } from '../support/server/parley.js';
import { HEAD, mutate, chatOfThree } from './followed-chats.js';

const EVENTS = `subscription ($chatId: ID! = "c", $after: Int) {
  chatEvents(chatId: $chatId, after: $after) {
    __typename seq chatId actorId
    ... on BranchHeadMoved { headId previousHeadId branch { name } messages { id } }
  }
}`;

const seqOf = (answer: unknown) => Object.values((answer as { data: Record<string, { seq: number }> }).data)[0]!.seq;

describe('chatEvents', () => {
  test('a client that passes its last seq as after gets every later event, first past ones, then new ones', async () => {
    const parley = await chatOfThree();
    const stream = await openStream(parley, EVENTS, { after: 4 });
    const past = await stream.take(2);
    await save(parley, { chatId: 'c', messages: [userMessage('d')] });
    const [present] = await stream.take(1);
    expect([...past, present].map(seqOf)).toEqual([5, 6, 7]);
    expect(present).toEqual({
      data: {
        chatEvents: {
          __typename: 'BranchHeadMoved',
          seq: 7,
          chatId: 'c',
          actorId: 'local',
          headId: 'd',
          previousHeadId: 'c',
          branch: { name: 'main' },
          messages: [{ id: 'd' }],
        },
      },
    });
  });

  test('after: 0 sends the whole log; without after only new events are sent', async () => {
    const parley = await chatOfThree();
    const whole = await openStream(parley, EVENTS, { after: 0 });
    const fromNow = await openStream(parley, EVENTS);
    await mutate(parley, 'updateChat(input: { chatId: "c", title: "x" })');
    expect((await whole.take(7)).map(seqOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await fromNow.take(1)).map(seqOf)).toEqual([7]);
  });

  test.each([
    [{ chatId: 'nowhere' }, 'NOT_FOUND', 'Chat "nowhere" not found'],
    [{ chatId: 'nowhere', after: 1 }, 'NOT_FOUND', 'Chat "nowhere" not found'],
    [{ chatId: '' }, 'NOT_FOUND', 'Chat "" not found'],
    [{ after: -1 }, 'BAD_USER_INPUT', 'after must not be negative: -1'],
    [{ after: 7 }, 'BAD_USER_INPUT', 'after is 7, but the newest event of chat "c" is 6'],
  ])('answers %j with %s', async (variables, code, message) => {
    const parley = await chatOfThree();
    for (const document of [EVENTS, HEAD]) {
      const stream = await openStream(parley, document, variables);
      expect(await stream.rest()).toMatchObject([{ errors: [{ message, extensions: { code } }] }]);
    }
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });
});

describe('a deleted chat', () => {
  const remove = (parley: Parley) => mutate(parley, 'deleteChat(input: { chatId: "c" })');
  const deleted = { data: { chatEvents: { __typename: 'ChatDeleted', seq: 7, chatId: 'c', actorId: 'local' } } };

  test('ChatDeleted is the last event, and the subscription completes; a branchHead just completes', async () => {
    const parley = await chatOfThree();
    const events = await openStream(parley, EVENTS, { after: 5 });
    const head = await openStream(parley, HEAD);
    await Promise.all([events.take(1), head.take(1)]);
    await remove(parley);
    expect(await events.rest()).toEqual([deleted]);
    expect(await head.rest()).toEqual([]);
  });

  test('a reconnecting client with an after from before the deletion gets ChatDeleted', async () => {
    const parley = await chatOfThree();
    await remove(parley);
    for (const after of [0, 5, 6]) {
      expect(await (await openStream(parley, EVENTS, { after })).rest()).toEqual([deleted]);
      expect(await (await openStream(parley, HEAD, { after })).rest()).toEqual([]);
    }
  });

  test('with a later after, or without one, the chat is NOT_FOUND', async () => {
    const parley = await chatOfThree();
    await remove(parley);
    for (const after of [undefined, 7, 8]) {
      const answers = await (await openStream(parley, EVENTS, { after })).rest();
      expect(answers).toMatchObject([{ errors: [{ extensions: { code: 'NOT_FOUND' } }] }]);
    }
  });
});
