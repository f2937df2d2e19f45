/** Several retries: rewinds to the same question until an answer is good enough. */
import { assistant, ContextEngine, user, XmlRenderer } from 'parley/context';
import { openStore } from './open-store.js';
import { branchTexts } from './branch-texts.js';
import { stubModel } from './stub-model.js';

const model = stubModel(['Five.', 'Three.', 'Four.', 'No idea.', 'Pardon?', 'Who knows?']);
const renderer = new XmlRenderer();
const { store, close } = await openStore(process.argv[2]);
const context = new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' });

context.set(user('What is 2 + 2?', { id: 'q1' }));
await context.save();

/** @param {string} text */
const isAcceptable = (text) => text === 'Four.';

/** @param {string} questionId */
async function retryUntilGood(questionId, maxAttempts = 3) {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    await context.rewind(questionId);
    const { systemPrompt, messages } = await context.resolve({ renderer });
    const response = await model.generate({ system: systemPrompt, messages, temperature: 0.5 + attempt * 0.25 });
    if (isAcceptable(response.text)) {
      context.set(assistant(response.text));
      await context.save();
      return response.text;
    }
  }
  throw new Error('Could not generate acceptable response');
}

const answer = await retryUntilGood('q1');
const failure = await retryUntilGood('q1').catch((error) => error.message);

const entries = await branchTexts(store, context.chatId);
console.log(JSON.stringify({ answer, failure, calls: model.calls, entries }));
await close();
