/** Edit and continue: replaces a question by another one. */
import { assistant, ContextEngine, user } from 'parley/context';
import { openStore } from './open-store.js';
import { branchTexts } from './branch-texts.js';

const { store, close } = await openStore(process.argv[2]);
const context = new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' });

context.set(user('Which language?', { id: 'q1' }), assistant('Python.', { id: 'a1' }));
context.set(user('Which editor?', { id: 'q2' }), assistant('Emacs.', { id: 'a2' }));
await context.save();

/**
 * @param {string} originalId
 * @param {string} newQuestion
 */
async function editQuestion(originalId, newQuestion) {
  const graph = await store.getGraph(context.chatId);
  const original = graph.nodes.find((node) => node.id === originalId);
  // A first question has no parent to rewind to.
  await context.rewind(original?.parentId ?? originalId);
  context.set(user(newQuestion));
  await context.save();
  return context.branch;
}

const second = await editQuestion('q2', 'Which shell?');
const first = await editQuestion('q1', 'I mean: to learn programming?');

// Without a rewind: a message with the id of a saved message becomes its new version, also for a first question.
await context.switchBranch('main');
context.set(user('Which spoken language?', { id: 'q1' }));
const { branch } = await context.save();

const entries = await branchTexts(store, context.chatId);
console.log(JSON.stringify({ second, first, version: branch.name, entries }));
await close();
