/** Chat.compare: the common ancestor of two paths, and pages of the messages after it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, EditMessage, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

let parley: Parley;
/**
 * main: m0 to m8; fork: m0 to m3, f4 and f5, with the checkpoint "saved" on m5; another root on the
 * branch "other root". */
beforeEach(async () => {
  parley = await openParley();
  for (const chatId of ['c', 'd']) await createChat(parley, chatId);
  const messages = (name: string, first: number, end: number) =>
    Array.from({ length: end - first }, (_, n) => userMessage(`${name}${first + n}`));
  await save(parley, { chatId: 'c', messages: messages('m', 0, 9) });
  await save(parley, { chatId: 'd', messages: messages('d', 0, 2) });
  await parley.ask(`mutation {
    createCheckpoint(input: { chatId: "c", name: "saved", messageId: "m5" }) { __typename }
    rewind(input: { chatId: "c", at: { message: "m3" }, branchName: "fork" }) { __typename }
  }`);
  await save(parley, { chatId: 'c', messages: messages('f', 4, 6) });
  const input = { chatId: 'c', messageId: 'm0', content: { text: 'other' }, branchName: 'other root' };
  await parley.run(EditMessage, { input });
});

interface Comparison {
  status: string;
  base: { id: string };
  head: { id: string };
  commonAncestor: { id: string } | null;
  aheadBy: number;
  behindBy: number;
  ahead: Page;
  behind: Page;
}

interface Page {
  totalCount: number;
  pageInfo: { hasPreviousPage: boolean; hasNextPage: boolean };
  edges: { cursor: string; node: { id: string } }[];
}

type Place = Partial<Record<'branch' | 'checkpoint' | 'messageId', string>>;

async function compare(base: Place, head: Place, page: { after?: string; before?: string } = {}, chatId = 'c') {
  const list = `(first: 2, after: $after, before: $before) {
    totalCount pageInfo { hasPreviousPage hasNextPage } edges { cursor node { id } } }`;
  const query = `query ($id: ID!, $base: PlaceInput!, $head: PlaceInput!, $after: String, $before: String) {
    chat(id: $id) { compare(base: $base, head: $head) {
      status base { id } head { id } commonAncestor { id } aheadBy behindBy ahead${list} behind${list} } } }`;
  const { data, errors } = await parley.ask(query, { id: chatId, base, head, ...page });
  return { comparison: (data as { chat: { compare: Comparison | null } } | null)?.chat.compare ?? null, errors };
}

const idsOf = ({ edges }: Page) => edges.map(({ node }) => node.id);

describe('two places', () => {
  test('below different roots have no common ancestor', async () => {
    const { comparison } = await compare({ messageId: 'm1' }, { branch: 'other root' });
    expect(comparison).toMatchObject({ status: 'DIVERGED', commonAncestor: null, aheadBy: 1, behindBy: 2 });
    expect([idsOf(comparison!.ahead), idsOf(comparison!.behind)]).toEqual([[comparison!.head.id], ['m0', 'm1']]);
  });

  test('are given as exactly one of branch, checkpoint and messageId', async () => {
    const { errors } = await compare({ branch: 'main' }, { branch: 'fork', messageId: 'm1' });
    expect(errors?.[0]?.message).toContain('PlaceInput');
  });
});

test('a page continues after a cursor, and refuses one of the common part', async () => {
  const places = [{ branch: 'fork' }, { branch: 'main' }] as const;
  const { comparison } = await compare(...places);
  const next = await compare(...places, { after: comparison!.ahead.edges[1]!.cursor });
  // `behind` has the same arguments, and does not contain that message.
  expect(next.errors?.map(({ path }) => path)).toEqual([['chat', 'compare', 'behind']]);
  const query = `query ($after: String) { chat(id: "c") { compare(base: { branch: "fork" }, head: { branch: "main" }) {
    ahead(first: 2, after: $after) { totalCount pageInfo { hasPreviousPage hasNextPage } edges { node { id } } } } } }`;
  const { data } = await parley.ask(query, { after: comparison!.ahead.edges[1]!.cursor });
  const page = (data as { chat: { compare: Comparison } }).chat.compare.ahead;
  expect(page).toMatchObject({ totalCount: 5, pageInfo: { hasPreviousPage: true, hasNextPage: true } });
  expect(idsOf(page)).toEqual(['m6', 'm7']);
  const path = `{ chat(id: "c") { message(id: "m3") { path { edges { cursor } } } } }`;
  const common = (await parley.ask(path)).data as { chat: { message: { path: Page } } };
  const refused = await parley.ask(query, { after: common.chat.message.path.edges[3]!.cursor });
  expect(refused.errors?.[0]).toMatchObject({ message: 'after is a cursor of another list of this kind' });
});
