/**
 * Programs with the calls of each example in the documents of @deepagents/context, in their order. `npm run typecheck` compiles
 * them. Lines that differ from an example are marked, and rows of "Coming from @deepagents/context" in docs/context.md.
 */
import { convertToModelMessages, generateText, type LanguageModel, type UIMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  assistant,
  assistantText,
  ContextEngine,
  fragment,
  hint,
  isFragment,
  isFragmentObject,
  isLazyFragment,
  isMessageFragment,
  lastAssistantMessage,
  LAZY_ID,
  role,
  user,
  XmlRenderer,
  type BranchInfo,
  type ContextStore,
} from '../../../src/exports/context.js';
import { InMemoryContextStore, SqliteContextStore } from '../../../src/exports/parley.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { programsOf, readDocument, writePrograms } from '../docs/docs-examples.js';
import { COMING } from '../docs/documented-programs.js';

const renderer = new XmlRenderer();

/** A model that gives these answers, one for each call. */
function answering(...texts: string[]) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  return new MockLanguageModelV3({
    doGenerate: texts.map((text) => ({
      content: [{ type: 'text', text }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    })),
  });
}

function inMemory(): InMemoryContextStore {
  const store = new InMemoryContextStore();
  onTestFinished(() => store.close());
  return store;
}

const engineOn = (store: ContextStore, chatId = 'chat-1') => new ContextEngine({ store, chatId, userId: 'ann' });

/** The text of a model's answer to the engine's branch. */
async function ask(context: ContextEngine, model: LanguageModel): Promise<string> {
  // Differs: resolve<UIMessage> and convertToModelMessages.
  const { systemPrompt, messages } = await context.resolve<UIMessage>({ renderer });
  const { text } = await generateText({
    model,
    system: systemPrompt,
    messages: await convertToModelMessages(messages),
  });
  return text;
}

const textsOf = async (context: ContextEngine) =>
  (await context.resolve({ renderer })).messages.map(({ parts }) => parts[0]?.['text']);

const paths = writePrograms(
  new Map([[COMING, programsOf(readDocument('docs/context.md')).get(COMING)!]]),
  'test/generated/original-programs',
);

test('the program of the documentation asks a model twice', async () => {
  const { askTwice } = (await import(paths.get(COMING)!)) as {
    askTwice: (model: LanguageModel, path: string) => Promise<string>;
  };
  expect(await askTwice(answering('5', '4'), temporaryFile())).toBe('main: 5, main-v2: 4');
});

test('rewind: an answer is wrong, and a rewind to its question gets another one', async () => {
  const model = answering('5', '4');
  const path = temporaryFile();
  const store = new SqliteContextStore(path);
  onTestFinished(() => store.close());
  const context = engineOn(store).set(role('You are a calculator.'));
  context.set(user('What is 2 + 2?', { id: 'q1' }));
  context.set(assistant(await ask(context, model), { id: 'a1' }));
  await context.save();

  const branch: BranchInfo = await context.rewind('q1');
  expect(branch).toEqual({
    id: expect.any(String) as string,
    name: 'main-v2',
    headMessageId: 'q1',
    isActive: true,
    messageCount: 1,
    createdAt: expect.any(Number) as number,
  });
  context.set(hint('Check the sum.'));
  context.set(assistant(await ask(context, model)));
  await context.save();

  expect(await textsOf(context)).toEqual(['What is 2 + 2?', '4']);
  await context.switchBranch('main');
  expect(await textsOf(context)).toEqual(['What is 2 + 2?', '5']);
  expect(model.doGenerateCalls.map(({ prompt }) => prompt.map((message) => message.role))).toEqual([
    ['system', 'user'],
    ['system', 'user'],
  ]);
});

test('rewind: branches are named after the branch of the engine', async () => {
  const context = engineOn(inMemory()).set(user('Hello', { id: 'm1' }));
  await context.save();
  expect((await context.rewind('m1')).name).toBe('main-v2');
  await context.switchBranch('main');
  expect((await context.rewind('m1')).name).toBe('main-v3');
  await context.switchBranch('main-v2');
  expect((await context.rewind('m1')).name).toBe('main-v2-v2');
});

test('rewind: a missing message, and one of another chat', async () => {
  const store = inMemory();
  const context = engineOn(store);
  await context.set(user('Hello')).save();
  await engineOn(store, 'chat-2')
    .set(user('Hello', { id: 'other' }))
    .save();
  await expect(context.rewind('nothing')).rejects.toThrow('Message "nothing" not found');
  await expect(context.rewind('other')).rejects.toThrow('Message "other" belongs to a different chat');
  // Differs: of another user, it is not found.
  const hidden = new ContextEngine({ store, chatId: 'chat-3', userId: 'bob' });
  await hidden.set(user('Hello', { id: 'hidden' })).save();
  await expect(context.rewind('hidden')).rejects.toThrow('Message "hidden" not found');
});

test('rewind: regenerate an answer, and try several times until one is good', async () => {
  const model = answering('first', 'second', 'bad', 'good');
  const store = inMemory();
  const context = engineOn(store).set(user('Write a haiku.', { id: 'q1' }));
  context.set(assistant(await ask(context, model)));
  await context.save();
  const again = async (isGood: (text: string) => boolean, attempts: number) => {
    for (let n = 0; n < attempts; n++) {
      await context.rewind('q1');
      const text = await ask(context, model);
      if (!isGood(text)) continue;
      context.set(assistant(text));
      await context.save();
      return text;
    }
    throw new Error('No good answer');
  };
  expect(await again(() => true, 1)).toBe('second');
  expect(await again((text) => text === 'good', 3)).toBe('good');
  expect(await textsOf(context)).toEqual(['Write a haiku.', 'good']);
  expect((await store.listBranches('chat-1')).map(({ messageCount }) => messageCount)).toEqual([2, 2, 1, 2]);
});

test('rewind: edit a question, which begins a branch at its parent', async () => {
  const store = inMemory();
  const context = engineOn(store);
  await context.set(user('Hi', { id: 'm1' }), assistant('Hello', { id: 'm2' }), user('Old', { id: 'm3' })).save();
  const graph = await store.getGraph(context.chatId);
  const original = graph.nodes.find(({ id }) => id === 'm3');
  await context.rewind(original!.parentId!);
  context.set(user('New'));
  await context.save();
  expect(await textsOf(context)).toEqual(['Hi', 'Hello', 'New']);
});

test('rewind: a message with a saved id becomes another version, and pending messages are dropped', async () => {
  const context = engineOn(inMemory());
  await context.set(user('Hi', { id: 'm1' }), assistant('Hello', { id: 'a1' })).save();
  context.set(assistant('Good day', { id: 'a1' }));
  await context.save();
  expect([context.branch, await textsOf(context)]).toEqual(['main-v2', ['Hi', 'Good day']]);
  context.set(user('Not saved'));
  await context.rewind('m1');
  expect(context.pendingMessages).toEqual([]);
  await context.switchBranch('main');
  expect(await textsOf(context)).toEqual(['Hi', 'Hello']);
});

test('storage: messages are saved, other fragments are not, and another session reads them', async () => {
  const store = inMemory();
  const context = engineOn(store);
  context.set(user('Hello'));
  context.set(assistant('Hi'));
  context.set(role('Be friendly'));
  context.set(hint('Be short'));
  await context.save();
  const { systemPrompt, messages } = await engineOn(store).resolve({ renderer });
  expect([systemPrompt, messages.map(({ role: author }) => author)]).toEqual(['', ['user', 'assistant']]);
});

test('storage: chats are created, changed, listed, filtered and deleted', async () => {
  const store = inMemory();
  const chat = await store.upsertChat({ id: 'chat-1', userId: 'ann' });
  expect(chat).toMatchObject({ id: 'chat-1', title: null });
  await store.updateChat('chat-1', { title: 'Python', metadata: { tags: ['python', 'course'] } });
  const chats = await store.listChats({ userId: 'ann', limit: 20, offset: 0 });
  expect(chats).toMatchObject([{ title: 'Python', metadata: { tags: ['python', 'course'] } }]);
  await engineOn(store).updateChat({ metadata: { archived: false, tags: ['support'] } });
  const metadata = { key: 'archived', value: false };
  expect(await store.listChats({ userId: 'ann', metadata })).toHaveLength(1);
  expect(await store.listChats({ userId: 'bob', metadata })).toEqual([]);
  await store.deleteChat('chat-1');
  expect(await store.getChat('chat-1')).toBeNull();
});

test('storage: branches, search and the graph', async () => {
  const store = inMemory();
  const context = engineOn(store);
  await context.set(user('A python tutorial, please', { id: 'm1' }), assistant('Gladly', { id: 'm2' })).save();
  await context.checkpoint('start');
  expect(await store.listBranches('chat-1')).toMatchObject([
    { name: 'main', headMessageId: 'm2', isActive: true, messageCount: 2 },
  ]);
  expect(await store.getActiveBranch('chat-1')).toMatchObject({ name: 'main' });
  const found = await store.searchMessages('chat-1', 'python tutorial', { limit: 10, roles: ['user', 'assistant'] });
  expect(found).toMatchObject([{ message: { id: 'm1' }, rank: expect.any(Number) as number }]);
  expect(found[0]!.snippet).toContain('python');
  expect(await store.getGraph('chat-1')).toMatchObject({
    nodes: [
      {
        id: 'm1',
        parentId: null,
        role: 'user',
        content: 'A python tutorial, please',
        createdAt: expect.any(Number) as number,
      },
      { id: 'm2', parentId: 'm1', role: 'assistant', content: 'Gladly' },
    ],
    branches: [{ name: 'main', headMessageId: 'm2', isActive: true }],
    checkpoints: [{ name: 'start', messageId: 'm2' }],
  });
});

test('storage: a file for each user, in a folder that does not exist', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'users/ann/context.db');
  const store = new SqliteContextStore(path);
  onTestFinished(() => store.close());
  await engineOn(store).set(user('Hello')).save();
  expect(existsSync(path)).toBe(true);
});

test('state: a checkpoint moves, and a restore creates a branch', async () => {
  const store = inMemory();
  const context = engineOn(store);
  await context.set(user('1', { id: 'm1' })).save();
  await context.checkpoint('here');
  await context.set(assistant('2', { id: 'm2' })).save();
  await context.checkpoint('here');
  expect(await store.listCheckpoints('chat-1')).toMatchObject([{ name: 'here', messageId: 'm2' }]);
  await context.set(user('3', { id: 'm3' })).save();
  expect(await context.restore('here')).toMatchObject({ name: 'main-v2', headMessageId: 'm2', isActive: true });
  await expect(context.restore('nowhere')).rejects.toThrow('Checkpoint "nowhere" not found');
});

test('state: btw keeps the branch and the pending messages', async () => {
  const context = engineOn(inMemory());
  await context.set(user('1')).save();
  context.set(user('2'));
  expect(await context.btw()).toMatchObject({ name: 'main-v2', isActive: false });
  expect([context.branch, context.pendingMessages.length]).toEqual(['main', 1]);
});

test('state: a branch is activated by its id, and a message is no parent of itself', async () => {
  const store = inMemory();
  const context = engineOn(store);
  await context.set(user('1', { id: 'm1' })).save();
  await context.rewind('m1');
  const main = await store.getBranch('chat-1', 'main');
  await store.setActiveBranch('chat-1', main!.id);
  const active = (await store.listBranches('chat-1')).filter(({ isActive }) => isActive);
  expect(active.map(({ name }) => name)).toEqual(['main']);
  // Differs: without createdAt.
  const own = { id: 'm2', chatId: 'chat-1', parentId: 'm2', name: 'user', type: 'message', data: { text: '2' } };
  await expect(store.addMessage(own)).rejects.toThrow('Message m2 cannot be its own parent');
});

test('concepts: fragments nest, and guards tell them apart', () => {
  const database = fragment('database', hint('PostgreSQL 15'), fragment('constraints', hint('No DELETE')));
  expect([isFragment(database), isFragment('text'), isFragmentObject({ a: 1 }), isFragmentObject(database)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([isMessageFragment(user('Hi')), isMessageFragment(hint('Hi'))]).toEqual([true, false]);
  const lazy = lastAssistantMessage('Corrected');
  expect([isLazyFragment(lazy), isLazyFragment(user('Hi')), LAZY_ID in lazy]).toEqual([true, false, true]);
  expect(renderer.render([database])).toContain('<constraints>');
});

test('concepts: a message has a codec, from a text or a UIMessage', () => {
  const message: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
  for (const each of [user(message), user('Hello', { id: 'm1' })]) {
    expect(each).toMatchObject({ id: 'm1', name: 'user', type: 'message', persist: true });
    expect([each.codec?.decode(), each.codec?.encode()]).toEqual([message, message]);
  }
  expect(assistantText('Hi', { id: 'a1' })).toMatchObject({ id: 'a1', name: 'assistant', type: 'message' });
});

test('concepts: a lazy message replaces the last answer', async () => {
  const context = engineOn(inMemory());
  await context.set(user('2 + 2?'), assistant('5')).save();
  context.set(lastAssistantMessage('4'));
  expect(await textsOf(context)).toEqual(['2 + 2?', '5', '4']);
  await context.save();
  expect(await textsOf(context)).toEqual(['2 + 2?', '4']);
});
