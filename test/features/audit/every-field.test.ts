/** Root fields in the audit log; test/api/refusals/ownership.test.ts calls every field that takes an id. */
import { expect, test } from 'vitest';
import { ask, belongingsOf, type Belongings } from '../../support/chats/belongings.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { startParley } from '../../support/server/parley.js';
import { auditFile, withRequestId } from './audited-server.js';

/** Root fields without ids, and those of admins. */
const OTHERS: Record<string, [event: string, document: (own: Belongings) => string, userId?: string]> = {
  chats: ['chat.read', () => '{ chats { edges { node { id } } } }'],
  search: ['search', () => '{ search(query: "insists") { edges { node { rank } } } }'],
  'Chat.search': [
    'search',
    ({ chatId }) => `{ chat(id: "${chatId}") { search(query: "insists") { edges { node { rank } } } } }`,
  ],
  shared: [
    'share.read',
    ({ shareToken }) => `{ shared(token: "${shareToken}") { messages { edges { node { text } } } } }`,
  ],
  setLegalHold: [
    'legal_hold.set',
    ({ chatId }) => `mutation { setLegalHold(input: { chatId: "${chatId}", reason: "case" }) { __typename } }`,
    'local',
  ],
  liftLegalHold: [
    'legal_hold.lifted',
    ({ chatId }) => `mutation { liftLegalHold(input: { chatId: "${chatId}" }) { __typename } }`,
    'local',
  ],
};

test('fields without ids and of admins write a line with the chat', async () => {
  const { auditLog, lines, text } = auditFile();
  const { parley, stop } = await startParley({ databaseUrl: emptyDatabaseUrl(), auditLog });
  const own = await belongingsOf(parley, 'bob');
  for (const [name, [, document, userId = 'bob']] of Object.entries(OTHERS))
    await ask(withRequestId(parley, name), userId, document(own), {});
  await stop();
  const events = Object.keys(OTHERS).map((name) => [
    name,
    lines().some(
      ({ requestId, event, chatIds }) =>
        requestId === name && event === OTHERS[name]![0] && chatIds.includes(own.chatId),
    ),
  ]);
  expect(events).toEqual(Object.keys(OTHERS).map((name) => [name, true]));
  expect(text()).not.toMatch(/insists|asks|goes on|title|renamed|parley_share_/);
});
