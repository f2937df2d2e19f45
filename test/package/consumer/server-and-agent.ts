/** A TypeScript program that uses both entries; only its types are checked. */
import { createServer, openContextStore, type ParleyServer, type ServerOptions, type Viewer } from 'parley';
import {
  ContextEngine,
  ContextError,
  RemoteStore,
  XmlRenderer,
  hint,
  user,
  type BranchInfo,
  type ContextStore,
  type MessageData,
} from 'parley/context';

const options: ServerOptions = { databaseUrl: ':memory:', port: 0 };
const server: ParleyServer = await createServer(options);
const viewer: Viewer = { userId: 'ann', isAdmin: false };
const stores: ContextStore[] = [
  server.contextStore(),
  await openContextStore({ databaseUrl: ':memory:', viewer }),
  new RemoteStore({ url: await server.start(), headers: () => ({ authorization: 'Bearer token' }) }),
];

for (const store of stores) {
  const context = new ContextEngine({ store, chatId: 'c', userId: 'ann' }).set(hint('Be brief.'), user('Hello'));
  const { messages, branch } = await context.save();
  const { systemPrompt } = await context.resolve({ renderer: new XmlRenderer() });
  show(messages, branch, systemPrompt);
  // @ts-expect-error An empty branch has no head.
  show(messages, branch, branch.headMessageId);
}

// @ts-expect-error Only a context store will do.
new ContextEngine({ store: {}, chatId: 'c', userId: 'ann' });

try {
  await stores[0]?.getMessageChain('nowhere');
} catch (error) {
  if (!(error instanceof ContextError) || error.code !== 'NOT_FOUND') throw error;
}
export const answer: Response = await server.fetch(new Request('http://localhost/graphql'));
await server.stop();

function show(messages: MessageData[], branch: BranchInfo, text: string): void {
  console.log(messages.length, branch.name, text);
}
