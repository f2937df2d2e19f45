/** Forks of shares: chats with copies of what a share shows. */
import { beforeEach, describe, expect, it } from 'vitest';
import { expectVerified, fork, forked, graphOf } from '../../support/chats/forks.js';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: ['m1', 'm2'].map((id) => userMessage(id, `${id} word`)) });
  await save(parley, { chatId: 'c', messages: [{ ...userMessage('merge'), sourceIds: ['m1'] }] });
});

async function ask(query: string, variables: object = {}): Promise<unknown> {
  const { data, errors } = await parley.ask(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

describe('a fork of a share', () => {
  const share = async (more = '') => {
    const result = (await ask(
      `mutation { createShare(input: { chatId: "c", title: "Shown" ${more} }) { ... on SharePayload { share { id token } } } }`,
    )) as { createShare: { share: { id: string; token: string } } };
    return result.createShare.share;
  };

  it('has what the share shows, without authors and origin', async () => {
    const data = {
      id: 'x',
      metadata: { secret: 1 },
      parts: [
        { type: 'text', text: 'seen' },
        { type: 'reasoning', text: 'thought' },
      ],
    };
    const hidden = { metadata: { hidden: true }, parts: [{ type: 'text', text: 'unseen' }] };
    const messages = [hidden, data].map((each, n) => ({
      name: 'assistant',
      type: 'message',
      id: `d${n}`,
      content: { data: each },
    }));
    await save(parley, { chatId: 'c', messages });
    const { token } = await share();
    const id = await forked(parley, { shareToken: token });
    const { messages: copies } = await graphOf(parley, id);
    expect(copies.map(({ preview }) => preview)).toEqual(['m1 word', 'm2 word', 'merge', 'seen']);
    const copy = await ask(
      `query ($id: ID!) { chat(id: $id) { title userId forkedFrom { chatId messageId message { id } }
        messages(last: 1) { edges { node { name data sourceHashes createdBy } } } } }`,
      { id },
    );
    expect(copy).toEqual({
      chat: {
        title: 'Shown',
        userId: 'local',
        forkedFrom: { chatId: null, messageId: null, message: null },
        messages: {
          edges: [
            {
              node: {
                name: 'assistant',
                data: { parts: [{ type: 'text', text: 'seen' }] },
                sourceHashes: [],
                createdBy: 'local',
              },
            },
          ],
        },
      },
    });
    await expectVerified(parley.databaseUrl);
  });

  it('is refused for a revoked or unknown token', async () => {
    const { id, token } = await share();
    await ask('mutation ($id: ID!) { revokeShare(input: { id: $id }) { __typename } }', { id });
    for (const shareToken of [token, 't']) {
      expect(await fork(parley, { shareToken })).toMatchObject({ __typename: 'NotFoundError' });
    }
  });

  it.each([
    ['messageId', { messageId: 'm1' }, 'InvalidInputError'],
    ['wholeGraph', { wholeGraph: true }, 'InvalidInputError'],
    ['an id in use', { id: 'c' }, 'AlreadyExistsError'],
    ['chatId', { chatId: 'c' }, 'InvalidInputError'],
  ])('is refused with %s', async (_, input, name) => {
    const { token } = await share();
    expect(await fork(parley, { shareToken: token, ...input })).toMatchObject({ __typename: name });
  });
});
