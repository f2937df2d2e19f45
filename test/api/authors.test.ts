/** Authors of messages: they may differ from the chat's owner. */
import { beforeEach, expect, test } from 'vitest';
import { openParley, type Parley } from '../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
});

async function ask(userId: string, query: string): Promise<Record<string, unknown>> {
  const { data, errors } = await parley.ask(query, {}, { 'x-user-id': userId });
  expect(errors).toBeUndefined();
  return data!;
}

const saveField = (id: string, more = '') =>
  `saveMessages(input: { chatId: "c", messages: [{ id: "${id}", name: "user", content: { text: "${id}" } }] ${more} })`;
const AUTHORS = '{ chat(id: "c") { branch(name: "main") { chain { id createdBy } } } }';

test('is the user that sent it, also in chats of other users and in versions of their messages', async () => {
  await ask('alice', `mutation { createChat(input: { id: "c" }) { __typename } ${saveField('hers')} { __typename } }`);
  // The local user is an admin.
  await ask('local', `mutation { ${saveField('an admin’s')} { __typename } }`);
  await ask('alice', `mutation { ${saveField('hers again')} { __typename } }`);
  expect(await ask('alice', AUTHORS)).toEqual({
    chat: {
      branch: {
        chain: [
          { id: 'hers', createdBy: 'alice' },
          { id: 'an admin’s', createdBy: 'local' },
          { id: 'hers again', createdBy: 'alice' },
        ],
      },
    },
  });
  const edited = await ask(
    'local',
    `mutation { editMessage(input: { chatId: "c", messageId: "hers", content: { text: "his" } }) {
      ... on SaveMessagesPayload { messages { createdBy siblings { createdBy } } }
    } }`,
  );
  expect(edited).toEqual({
    editMessage: { messages: [{ createdBy: 'local', siblings: [{ createdBy: 'alice' }, { createdBy: 'local' }] }] },
  });
});

test('stays the same when another user retries the message', async () => {
  await ask('alice', `mutation { createChat(input: { id: "c" }) { __typename } ${saveField('m')} { __typename } }`);
  await ask('local', `mutation { ${saveField('m')} { __typename } }`);
  expect(await ask('local', AUTHORS)).toEqual({ chat: { branch: { chain: [{ id: 'm', createdBy: 'alice' }] } } });
});
