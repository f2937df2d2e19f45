import { at, expectedHead } from '../support/chats/positions.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConversationModel, ModelError, type SaveCommand } from '../support/chats/conversation-model.js';
import { runs } from '../support/effort.js';
import { createChat } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';
import { modelState } from '../support/chats/model-snapshot.js';
import { serverState, Snapshot } from '../support/chats/snapshot.js';
import { expectSoundDatabase } from '../support/database/sound-database.js';

/** An existing message (by its number, modulo their count), or a missing one. */
type Pick = number;

type Command =
  | { kind: 'save'; save: Required<Omit<SaveCommand, 'messages' | 'expectedHeadId' | 'parentId'>> & SaveShape }
  | { kind: 'edit'; message: Pick; text: string; id: Pick | 'new' | null; name: string | null; expectsHead: boolean }
  | { kind: 'switchToSibling'; message: Pick; name: string | null }
  | { kind: 'rewind'; message: Pick | null; name: string | null }
  | { kind: 'btw'; message: Pick | null | undefined; name: string | null }
  | { kind: 'rename'; name: string; newName: string }
  | { kind: 'deleteBranch'; name: string }
  | { kind: 'switchBranch' | 'restoreCheckpoint' | 'deleteCheckpoint'; name: string }
  | { kind: 'checkpoint'; name: string; message: Pick | null };

interface SaveShape {
  /** Instead of an existing message: a new id of the client, a generated id, or a lazy id. */
  messages: { id: Pick | 'new' | 'generated' | 'lazy'; name: string; text: string }[];
  expected: Pick | 'nothing' | 'empty' | 'head';
  parent: Pick | null;
}

const pick: fc.Arbitrary<Pick> = fc.nat(12);
// Few values, so that operations collide.
const text = fc.constantFrom('hello', 'hi', 'why?');
const branchName = fc.constantFrom('main', 'main-v2', 'main-v2-v2', 'side', 'main-v9', 'nowhere');
const checkpointName = fc.constantFrom('a', 'b');
/** The start of a btw branch; undefined is the head. */
const start = fc.oneof(pick, fc.constant(undefined));
const newName = fc.option(fc.constantFrom('side', 'main-v9', 'main-video', 'main-v2'), { nil: null });

const save: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('save' as const),
  save: fc.record({
    branch: fc.option(branchName, { nil: null, freq: 2 }),
    messages: fc.array(
      fc.record({
        id: fc.oneof(pick, fc.constantFrom('new' as const, 'generated' as const, 'lazy' as const)),
        name: fc.constantFrom('user', 'assistant'),
        text,
      }),
      { minLength: 1, maxLength: 4 },
    ),
    expected: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('nothing' as const, 'empty' as const, 'head' as const) },
      { weight: 1, arbitrary: pick },
    ),
    onConflict: fc.constantFrom('REJECT' as const, 'FORK' as const, 'APPEND' as const),
    parent: fc.option(pick, { nil: null, freq: 2 }),
    branchName: newName,
  }),
});
const others: fc.Arbitrary<Command>[] = [
  fc.record({
    kind: fc.constant('edit' as const),
    message: pick,
    text,
    id: fc.oneof(pick, fc.constantFrom('new' as const, null)),
    name: newName,
    expectsHead: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('rename' as const), name: branchName, newName: branchName }),
  fc.record({ kind: fc.constant('deleteBranch' as const), name: branchName }),
  fc.record({ kind: fc.constant('switchToSibling' as const), message: pick, name: newName }),
  fc.record({ kind: fc.constant('rewind' as const), message: fc.option(pick, { nil: null }), name: newName }),
  fc.record({ kind: fc.constant('btw' as const), message: fc.option(start, { nil: null }), name: newName }),
  fc.record({ kind: fc.constant('switchBranch' as const), name: branchName }),
  fc.record({
    kind: fc.constant('checkpoint' as const),
    name: checkpointName,
    message: fc.option(pick, { nil: null }),
  }),
  fc.record({
    kind: fc.constantFrom('restoreCheckpoint' as const, 'deleteCheckpoint' as const),
    name: checkpointName,
  }),
];
const command = fc.oneof({ weight: 6, arbitrary: save }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

test('all reads of a chat equal the model after any changes', async () => {
  const parley = await openParley({ limits: { costLimit: Number.MAX_SAFE_INTEGER } });
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (commands) => {
      const chatId = `chat-${chats++}`;
      await createChat(parley, chatId);
      const model = new ConversationModel();
      for (const [step, each] of commands.entries()) {
        await runBoth(parley, model, chatId, each, `${chatId}-${step}`);
        const snapshot = serverState(await parley.run(Snapshot, { id: chatId }));
        expect(snapshot).toEqual(modelState(model, chatId));
      }
    }),
    { numRuns: runs(120) },
  );
  expect(parley.takeUnexpectedErrors()).toEqual([]);
  await expectSoundDatabase(parley.databaseUrl);
});

const ANSWER = `
  __typename
  ... on SaveMessagesPayload { messages { id } branch { name } branched }
`;

async function runBoth(parley: Parley, model: ConversationModel, chatId: string, each: Command, prefix: string) {
  const messageId = (number: Pick) => model.messages[number]?.id ?? `${prefix}-${number}-unknown`;
  const mutate = async (field: string, inputType: string, input: object): Promise<Answer> => {
    const { data, errors } = await parley.ask(
      `mutation ($input: ${inputType}!) { ${field}(input: $input) { ${inputType.startsWith('Save') || inputType.startsWith('Edit') ? ANSWER : '__typename'} } }`,
      { input: { chatId, ...input } },
    );
    expect(errors).toBeUndefined();
    return (data as Record<string, Answer>)[field] as Answer;
  };

  switch (each.kind) {
    case 'save': {
      const { branch, onConflict, expected, branchName } = each.save;
      const parentId = each.save.parent === null ? null : messageId(each.save.parent);
      const ids = new Set<string>();
      const messages = each.save.messages
        .map(({ id, name, text: content }, n) => ({
          id: typeof id === 'number' ? messageId(id) : id === 'new' ? `${prefix}-${n}` : null,
          isLazy: id === 'lazy',
          name,
          text: content,
        }))
        // A repeated id in one save is a separate error.
        .filter(({ id }) => id === null || (!ids.has(id) && ids.add(id)));
      const head = model.branches.find((each) => each.name === (branch ?? model.active))?.head ?? null;
      const expectedHeadId =
        expected === 'nothing'
          ? undefined
          : expected === 'empty'
            ? null
            : expected === 'head'
              ? head
              : messageId(expected);
      const answer = await mutate('saveMessages', 'SaveMessagesInput', {
        branch,
        onConflict,
        expectedHead: expectedHead(expectedHeadId),
        at: at(parentId ?? undefined),
        branchName,
        messages: messages.map(({ id, isLazy, name, text: content }) => ({
          ...(isLazy ? { lazyId: 'LAST_ASSISTANT' } : { id }),
          name,
          content: { data: content },
        })),
      });
      compareSave(model, answer, (newId) =>
        model.save({ branch, messages, expectedHeadId, onConflict, parentId, branchName }, newId),
      );
      return;
    }
    case 'edit': {
      const id = messageId(each.message);
      const head = model.branches.find(({ name }) => name === model.active)?.head ?? null;
      const options = {
        id: each.id === null ? null : each.id === 'new' ? `${prefix}-version` : messageId(each.id),
        branchName: each.name,
        expectedHeadId: each.expectsHead ? head : undefined,
      };
      const { expectedHeadId, ...given } = options;
      const input = {
        messageId: id,
        content: { data: each.text },
        ...given,
        expectedHead: expectedHead(expectedHeadId),
      };
      const answer = await mutate('editMessage', 'EditMessageInput', input);
      compareSave(model, answer, (newId) => model.edit(id, each.text, options, newId));
      return;
    }
    case 'rewind': {
      const id = each.message === null ? null : messageId(each.message);
      const answer = await mutate('rewind', 'RewindInput', { at: at(id), branchName: each.name });
      compare(model, answer, () => model.rewind(id, each.name));
      return;
    }
    case 'switchToSibling': {
      const id = messageId(each.message);
      const input = { messageId: id, branchName: each.name };
      const answer = await mutate('switchToSibling', 'SwitchToSiblingInput', input);
      compare(model, answer, () => model.switchToSibling(id, each.name));
      return;
    }
    case 'rename': {
      const { name, newName } = each;
      const answer = await mutate('renameBranch', 'RenameBranchInput', { name, newName });
      compare(model, answer, () => model.rename(name, newName));
      return;
    }
    case 'deleteBranch':
      compare(model, await mutate('deleteBranch', 'DeleteBranchInput', { name: each.name }), () =>
        model.deleteBranch(each.name),
      );
      return;
    case 'btw': {
      const id = typeof each.message === 'number' ? messageId(each.message) : each.message;
      const answer = await mutate('btw', 'BtwInput', { at: at(id), branchName: each.name });
      compare(model, answer, () => model.btw(id, each.name));
      return;
    }
    case 'switchBranch':
      compare(model, await mutate('switchBranch', 'SwitchBranchInput', { name: each.name }), () =>
        model.switchBranch(each.name),
      );
      return;
    case 'checkpoint': {
      const id = each.message === null ? null : messageId(each.message);
      const answer = await mutate('createCheckpoint', 'CreateCheckpointInput', { name: each.name, messageId: id });
      compare(model, answer, () => model.saveCheckpoint(each.name, id));
      return;
    }
    case 'restoreCheckpoint':
      compare(model, await mutate('restoreCheckpoint', 'RestoreCheckpointInput', { name: each.name }), () =>
        model.restoreCheckpoint(each.name),
      );
      return;
    case 'deleteCheckpoint':
      compare(model, await mutate('deleteCheckpoint', 'DeleteCheckpointInput', { name: each.name }), () =>
        model.deleteCheckpoint(each.name),
      );
  }
}

interface Answer {
  __typename: string;
  messages?: { id: string }[];
  branch?: { name: string };
  branched?: boolean;
}

/** Both succeed, or both fail in the same way. */
function compare<T>(model: ConversationModel, answer: Answer, operation: () => T): T | null {
  let outcome: { type: string; value: T | null };
  try {
    outcome = { type: 'Payload', value: model.attempt(operation) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    outcome = { type: error.message, value: null };
  }
  expect(answer.__typename.replace(/^[A-Za-z]*Payload$/, 'Payload')).toBe(outcome.type);
  return outcome.value;
}

function compareSave(
  model: ConversationModel,
  answer: Answer,
  operation: (newId: (index: number) => string) => ReturnType<ConversationModel['save']>,
) {
  const idsBefore = new Set(model.messages.map((message) => message.id));
  const saved = compare(model, answer, () =>
    operation((index) => {
      const id = answer.messages?.[index]?.id ?? 'none';
      // New messages of the server must be new in the model.
      expect(idsBefore).not.toContain(id);
      return id;
    }),
  );
  if (saved === null) return;
  expect(answer).toMatchObject({
    messages: saved.ids.map((id) => ({ id })),
    branch: { name: saved.branch },
    branched: saved.branched,
  });
}
