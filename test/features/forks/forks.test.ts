/** Forks: chats with copies of messages of another chat. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { expectVerified, fork, forked, graphOf } from '../../support/chats/forks.js';
import { createChat, save, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { runs } from '../../support/effort.js';
import { openParley, type Parley } from '../../support/server/parley.js';

let parley: Parley;
/** main: m1, m2, m3, merge, which draws on s2 and m2; side: m1, s2. */
beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: ['m1', 'm2', 'm3'].map((id) => userMessage(id, `${id} word`)) });
  await ask('mutation { rewind(input: { chatId: "c", at: { message: "m1" }, branchName: "side" }) { __typename } }');
  await save(parley, { chatId: 'c', messages: [userMessage('s2')] });
  await ask('mutation { switchBranch(input: { chatId: "c", name: "main" }) { __typename } }');
  await save(parley, { chatId: 'c', messages: [{ ...userMessage('merge'), sourceIds: ['s2', 'm2'] }] });
});

async function ask(query: string, variables: object = {}): Promise<unknown> {
  const { data, errors } = await parley.ask(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

const texts = async (id: string) => (await graphOf(parley, id)).messages.map(({ preview }) => preview);

describe('a fork', () => {
  it('copies the path to the head of the active branch, or to a message', async () => {
    expect(await texts(await forked(parley, { chatId: 'c' }))).toEqual(['m1 word', 'm2 word', 'm3 word', 'merge']);
    const id = await forked(parley, { chatId: 'c', messageId: 's2', id: 'new', title: 'Elsewhere' });
    expect(id).toBe('new');
    expect(await texts('new')).toEqual(['m1 word', 's2']);
    expect(
      await ask(`{ chat(id: "new") { title userId metadata version activeBranch { name createdAt messageCount }
        forkedFrom { chatId messageId message { id chat { id } } } events { edges { node { __typename seq actorId
          ... on BranchHeadMoved { messages { preview } } } } } } }`),
    ).toMatchObject({
      chat: {
        title: 'Elsewhere',
        userId: 'local',
        metadata: {},
        version: 4,
        activeBranch: { name: 'main', messageCount: 2 },
        forkedFrom: { chatId: 'c', messageId: 's2', message: { id: 's2', chat: { id: 'c' } } },
        events: {
          edges: [
            { node: { __typename: 'ChatCreated', seq: 1, actorId: 'local' } },
            { node: { __typename: 'BranchCreated' } },
            { node: { __typename: 'BranchActivated' } },
            { node: { __typename: 'BranchHeadMoved', messages: [{ preview: 'm1 word' }, { preview: 's2' }] } },
          ],
        },
      },
    });
    await expectVerified(parley.databaseUrl);
  });

  it('keeps a source that is copied, and the hash of another', async () => {
    const before = (await graphOf(parley, 'c')).messages.at(-1)!;
    const path = await graphOf(parley, await forked(parley, { chatId: 'c' }));
    expect(before.sources).toEqual([4, 2]);
    expect(path.messages.at(-1)).toMatchObject({ sources: [2], contentHash: before.contentHash });
    expect(path.messages.at(-1)!.sourceHashes).toEqual(before.sourceHashes);
    // A fork of a fork keeps the hash.
    const id = await forked(parley, { chatId: await forked(parley, { chatId: 'c' }) });
    expect((await graphOf(parley, id)).messages).toEqual(path.messages);
    await expectVerified(parley.databaseUrl);
  });

  it('of a whole graph has its branches and checkpoints, and messages that no branch leads to', async () => {
    await ask(`mutation {
      createCheckpoint(input: { chatId: "c", name: "here", messageId: "s2" }) { __typename }
      deleteBranch(input: { chatId: "c", name: "side" }) { __typename }
      rewind(input: { chatId: "c", at: { message: "m2" }, branchName: "other" }) { __typename } }`);
    const id = await forked(parley, { chatId: 'c', wholeGraph: true });
    const [{ ids: before, ...origin }, { ids, ...copy }] = [await graphOf(parley, 'c'), await graphOf(parley, id)];
    expect(copy).toEqual(origin);
    expect(new Set([...before, ...ids]).size).toBe(before.length * 2);
    expect(ids).toEqual([...ids].sort());
    // A replay of the log shows each message once.
    const log = (await ask(
      `query ($id: ID!) { chat(id: $id) { events { edges { node { ... on BranchHeadMoved { messages { seq } } } } } } }`,
      { id },
    )) as { chat: { events: { edges: { node: { messages?: { seq: number }[] } }[] } } };
    const seqs = log.chat.events.edges.flatMap(({ node }) => node.messages ?? []).map(({ seq }) => seq);
    expect(seqs.sort()).toEqual([1, 2, 3, 4, 5]);
    await expectVerified(parley.databaseUrl);
  });

  it('is an own chat: it goes on, and outlives the origin', async () => {
    const id = await forked(parley, { chatId: 'c' });
    await ask('mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
    await save(parley, { chatId: id, messages: [userMessage('more')] });
    expect(await texts(id)).toEqual(['m1 word', 'm2 word', 'm3 word', 'merge', 'more']);
    expect(
      await ask('query ($id: ID!) { chat(id: $id) { forkedFrom { chatId messageId message { id } } } }', { id }),
    ).toEqual({ chat: { forkedFrom: { chatId: 'c', messageId: 'merge', message: null } } });
    await expectVerified(parley.databaseUrl);
    await ask('mutation ($id: ID!) { deleteChat(input: { chatId: $id }) { __typename } }', { id });
    await expectVerified(parley.databaseUrl);
  });

  it('of an empty chat has no messages', async () => {
    await createChat(parley, 'empty');
    expect(await fork(parley, { chatId: 'empty' })).toMatchObject({ __typename: 'InvalidInputError', path: 'chatId' });
    const id = await forked(parley, { chatId: 'empty', wholeGraph: true });
    expect((await graphOf(parley, id)).branches).toMatchObject([{ name: 'main', isActive: true, head: null }]);
    await expectVerified(parley.databaseUrl);
  });
});

test.each([
  ['no origin', {}, 'InvalidInputError', 'chatId'],
  ['an unknown chat', { chatId: 'd' }, 'NotFoundError', undefined],
  ['an unknown message', { chatId: 'c', messageId: 'x' }, 'NotFoundError', undefined],
  ['a message of another chat', { chatId: 'c', messageId: 'o1' }, 'NotFoundError', undefined],
  ['a message of a whole graph', { chatId: 'c', messageId: 'm1', wholeGraph: true }, 'InvalidInputError', 'messageId'],
  ['an id in use', { chatId: 'c', id: 'c' }, 'AlreadyExistsError', undefined],
  ['an empty id', { chatId: 'c', id: '' }, 'InvalidInputError', 'id'],
])('forkChat refuses %s', async (_, input, name, path) => {
  await createChat(parley, 'other');
  await save(parley, { chatId: 'other', messages: [userMessage('o1')] });
  expect(await fork(parley, input)).toMatchObject({ __typename: name, ...(path !== undefined && { path }) });
  expect(await ask('{ chats { totalCount } }')).toEqual({ chats: { totalCount: 2 } });
});

test('the number of statements depends on whether a path has sources, not on its length', async () => {
  const statements = async (messageId: string) => {
    parley.takeStatements();
    await forked(parley, { chatId: 'c', messageId });
    return parley.takeStatements().length;
  };
  // Sources that are copied, and the hashes of others.
  expect(await statements('merge')).toBe((await statements('m1')) + 2);
});

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ save: fc.nat(3), sources: fc.array(fc.nat(30), { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ rewind: fc.nat(30) }) },
  fc.record({ switch: fc.nat(5) }),
  fc.record({ checkpoint: fc.nat(30) }),
  fc.record({ deleted: fc.nat(5) }),
);

test('a fork of any graph has equal texts, hashes, usage, paths and search results', async () => {
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), fc.nat(30), async (steps, at) => {
      const chatId = `any-${chats++}`;
      await createChat(parley, chatId);
      let count = 0;
      const idOf = (n: number) => `${chatId}-${n % Math.max(1, count)}`;
      for (const [n, step] of steps.entries()) {
        if ('save' in step) {
          const messages = Array.from({ length: step.save + 1 }, (_, k) => ({
            id: `${chatId}-${count + k}`,
            name: k % 2 ? 'assistant' : 'user',
            content: {
              data: {
                parts: [{ type: 'text', text: `word ${count + k}` }],
                metadata: { model: 'a', usage: { inputTokens: n + 1 } },
              },
            },
            ...(k === 0 && count > 0 && { sourceIds: [...new Set(step.sources.map(idOf))] }),
          }));
          await parley.run(SaveMessages, { input: { chatId, onConflict: 'REJECT', messages } });
          count += messages.length;
        } else if ('rewind' in step) {
          await ask('mutation ($i: RewindInput!) { rewind(input: $i) { __typename } }', {
            i: { chatId, at: { message: idOf(step.rewind) }, branchName: `b${n % 6}` },
          });
        } else if ('switch' in step) {
          await ask('mutation ($i: SwitchBranchInput!) { switchBranch(input: $i) { __typename } }', {
            i: { chatId, name: `b${step.switch}` },
          });
        } else if ('checkpoint' in step) {
          await ask('mutation ($i: CreateCheckpointInput!) { createCheckpoint(input: $i) { __typename } }', {
            i: { chatId, name: `p${n % 4}`, messageId: idOf(step.checkpoint) },
          });
        } else {
          await ask('mutation ($i: DeleteBranchInput!) { deleteBranch(input: $i) { __typename } }', {
            i: { chatId, name: `b${step.deleted}` },
          });
        }
      }
      const origin = await graphOf(parley, chatId);
      const whole = await graphOf(parley, await forked(parley, { chatId, wholeGraph: true }));
      expect({ ...whole, ids: [] }).toEqual({ ...origin, ids: [] });
      if (count === 0) return;
      const head = origin.ids[at % origin.ids.length]!;
      const path = await graphOf(parley, await forked(parley, { chatId, messageId: head }));
      const { data } = await parley.ask(
        'query ($id: ID!) { message(id: $id) { path(first: 200) { edges { node { seq } } } } }',
        { id: head },
      );
      const { edges } = (data as { message: { path: { edges: { node: { seq: number } }[] } } }).message.path;
      const copied = edges.map(({ node }) => origin.messages[node.seq - 1]!);
      const without = ({ sources: _, seq: __, siblingIndex: ___, parent: ____, ...message }: (typeof copied)[number]) =>
        message;
      expect(path.messages.map(without)).toEqual(copied.map(without));
      expect(path.messages.map(({ seq, depth }) => seq - depth)).toEqual(copied.map(() => 1));
    }),
    { numRuns: runs(60) },
  );
  await expectVerified(parley.databaseUrl);
});
