/** Regenerate: rewinds to the question, and saves another answer. */
import { assistant, ContextEngine, hint, role, user, XmlRenderer } from 'parley/context';
import { openStore } from './open-store.js';
import { branchTexts } from './branch-texts.js';
import { stubModel } from './stub-model.js';

const model = stubModel(['5', '4']);
const renderer = new XmlRenderer();
const { store, close } = await openStore(process.argv[2]);
const context = new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' }).set(role('You are helpful.'));

context.set(user('What is 2 + 2?', { id: 'q1' }));
const { systemPrompt, messages } = await context.resolve({ renderer });
const first = await model.generate({ system: systemPrompt, messages });
context.set(assistant(first.text, { id: 'a1' }));
await context.save();

/** @param {string} questionId */
async function regenerate(questionId) {
  const branch = await context.rewind(questionId);
  const { systemPrompt, messages } = await context.resolve({ renderer });
  const response = await model.generate({ system: systemPrompt, messages, temperature: 0.9 });
  context.set(assistant(response.text));
  await context.save();
  return { branch, answer: response.text };
}

context.set(hint('Double-check your arithmetic.'));
const { branch, answer } = await regenerate('q1');
const entries = await branchTexts(store, context.chatId);
const original = await context.switchBranch('main');

console.log(JSON.stringify({ answer, branch, calls: model.calls, entries, original: original.headMessageId }));
await close();
