/** An agent that uses only the language, fetch and crypto. */
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
 * Saves a turn on a server.
 * @param {string} url of the server's GraphQL
 * @returns the input of a model in each format
 */
export default async function converse(url) {
  const context = new ContextEngine({ store: new RemoteStore({ url }), chatId: 'bare', userId: 'somebody' });
  context.set(role('You are helpful.'), user('Hello', { id: 'q1' }), assistant('Good day', { id: 'a1' }));
  await context.save();
  const renderers = [new XmlRenderer(), new MarkdownRenderer(), new TomlRenderer(), new ToonRenderer()];
  return Promise.all(renderers.map((renderer) => context.resolve({ renderer })));
}
