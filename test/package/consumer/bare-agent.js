/** An agent that has a language, fetch and crypto, and no more. */
import {
  assistant,
  ContextEngine,
  MarkdownRenderer,
  RemoteStore,
  role,
  TomlRenderer,
  ToonRenderer,
  user,
  XmlRenderer,
} from 'parley/context';

/**
 * Talks once on a server, and answers what a model would have been given, in each format.
 * @param {string} url where the server answers
 */
export default async function converse(url) {
  const context = new ContextEngine({ store: new RemoteStore({ url }), chatId: 'bare', userId: 'somebody' });
  context.set(role('You are helpful.'), user('Hello', { id: 'q1' }), assistant('Good day', { id: 'a1' }));
  await context.save();
  const renderers = [new XmlRenderer(), new MarkdownRenderer(), new TomlRenderer(), new ToonRenderer()];
  return Promise.all(renderers.map((renderer) => context.resolve({ renderer })));
}
