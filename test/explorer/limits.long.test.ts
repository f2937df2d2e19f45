/** The queries of the explorer's page keep to the default limits of a server at their largest. */
import { expect, it } from 'vitest';
import * as ofClient from '../../packages/client/src/generated/operations.js';
import * as ofPage from '../../packages/explorer/src/generated/operations.js';
import { MAX_IDS_PER_REQUEST, messagesQuery } from '../../packages/explorer/src/requests/read-messages.js';
import { beginningsQuery } from '../../packages/explorer/src/chats/chat-title.js';
import { picturesQuery, PICTURES_PER_REQUEST } from '../../packages/explorer/src/miniature/use-pictures.js';
import { NAMED_FIELDS } from '../../packages/explorer/src/history/use-named.js';
import { INSIDE_FIELDS } from '../../packages/explorer/src/graph/scene/labels.js';
import { startListening } from '../support/server/listening-server.js';

/** The largest values that the page gives. */
const LARGEST: Readonly<Record<string, unknown>> = {
  ...{ first: 100, last: 100, query: 'a', name: 'main', chatId: 'large', id: 'm999', messageId: 'm999' },
  ...{ after: 'a cursor', base: { messageId: 'm998' }, head: { messageId: 'm999' } },
};

/** Pages of other sizes. */
const PAGES: Readonly<Record<string, object>> = { ReadEvents: { last: 1_000 }, ReadPath: { last: 200 } };

const valuesOf = (text: string, name: string): object => {
  const required = [...text.matchAll(/\$(\w+): ?[^\s)=$]+!/g)].map(([, variable]) => variable ?? '');
  return { ...Object.fromEntries(required.map((variable) => [variable, LARGEST[variable]])), ...PAGES[name] };
};

it('no query exceeds a default limit', async () => {
  const { ask } = await startListening();
  // The page reads all messages of a chat of this size.
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  for (const from of [0, 500]) {
    const messages = Array.from({ length: 500 }, (_, n) => {
      return { id: `m${from + n}`, name: 'user', content: { text: `a ${'word '.repeat(400)}` } };
    });
    await ask(save, { input: { chatId: 'large', createChat: {}, messages } });
  }
  const operations = Object.entries({ ...ofClient, ...ofPage }).filter(
    (entry): entry is [string, never] => typeof entry[1] === 'string' && /^query/.test(entry[1]),
  );
  expect(operations.length).toBeGreaterThan(25);
  const ids = (prefix: string, id: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, id]));
  const dynamic: [name: string, text: string, variables: object][] = [
    ...[NAMED_FIELDS, INSIDE_FIELDS].map((fields): [string, string, object] => [
      `ReadMessages ${fields}`,
      messagesQuery(MAX_IDS_PER_REQUEST, fields),
      ids('m', 'm999', MAX_IDS_PER_REQUEST),
    ]),
    ['ReadBeginnings', beginningsQuery(MAX_IDS_PER_REQUEST), ids('c', 'large', MAX_IDS_PER_REQUEST)],
    ['ReadPictures', picturesQuery(PICTURES_PER_REQUEST), ids('c', 'large', PICTURES_PER_REQUEST)],
  ];
  const known = operations.map(([name, text]): [string, string, object] => [name, text, valuesOf(text, name)]);
  for (const [name, text, variables] of [...known, ...dynamic]) {
    const { errors = [] } = await ask(text, variables);
    const reasons = errors.map(({ message, extensions }) => `${String(extensions?.['code'])}: ${message}`);
    // The cursor is read last.
    expect([name, reasons.filter((reason) => !/after .* cursor/.test(reason))]).toEqual([name, []]);
  }
});
