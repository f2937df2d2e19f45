/** Builds a model's input from the demo chat, and saves an answer: `npm run example:context`. */
import { assistant, ContextEngine, RemoteStore, role, user, XmlRenderer } from '@parley/context';

const store = new RemoteStore({ url: `${process.env.PARLEY_URL ?? 'http://127.0.0.1:4000'}/graphql` });
const context = new ContextEngine({ store, chatId: 'demo', userId: 'local' });

context.set(role('You are a travel guide.'), user('And on Sunday?'));
const { systemPrompt, messages } = await context.resolve({ renderer: new XmlRenderer() });
console.log(systemPrompt, JSON.stringify(messages, null, 2));

// Call a model with both, and save its answer:
context.set(assistant('To the market, before it is hot.'));
const { branch } = await context.save();
console.log(`Saved: branch ${branch.name} has ${branch.messageCount} messages.`);
