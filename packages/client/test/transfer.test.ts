/** Whole chats in and out of real servers, over HTTP. */
import { expect, test, vi } from 'vitest';
import { signToken } from '../../../src/auth/sign-token.js';
import { startListening } from '../../../test/support/server/listening-server.js';
import { startProxy } from '../../../test/support/server/tcp-proxy.js';
import { AUTH } from '../../../test/support/server/tokens.js';
import { RequestError, UnauthorizedError, UnreachableError } from '../src/client.js';
import { createTransfer, type ImportEnd, type ImportLine, type Transfer } from '../src/transfer/transfer.js';

/** Conversations of so many lines, a chat each. */
const conversations = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `c${n}`, conversations: [{ from: 'human', value: `Question ${n}` }] }),
  ).join('\n');

async function linesOf(lines: ReturnType<Transfer['importChats']>): Promise<(ImportLine | ImportEnd)[]> {
  const all = [];
  for await (const line of lines) all.push(line);
  return all;
}

test('a chat that is taken out of one server and brought into another is there as it was', async () => {
  const [from, to] = [await startListening({ demo: true }), await startListening()];
  const query = `{ chat(id: "demo") { title version messageCount branches(first: 9) { edges { node { id name head { id } } } }
    checkpoints { edges { node { name } } } } }`;
  const exported = await createTransfer(from).exportChats({ chatId: 'demo' });
  expect(exported).toMatchObject({ fileName: 'parley.jsonl', notHeld: ['drafts that are being written'] });
  const lines = await linesOf(createTransfer(to).importChats(exported.body));
  expect(lines).toMatchObject([
    { conversation: { chatId: 'demo', result: 'imported', format: 'parley' } },
    { totals: { conversations: { imported: 1, updated: 0, unchanged: 0, failed: 0 } }, couldNotRead: [] },
  ]);
  expect(await to.ask(query)).toEqual(await from.ask(query));
  const markdown = await createTransfer(from).exportChats({ chatId: 'demo', format: 'markdown', paths: 'leaves' });
  expect(markdown.notHeld.length).toBeGreaterThan(0);
  expect(await (await markdown.blob()).text()).toContain('# A weekend in Portugal');
});

test('what could not be read is told where it stands, and so is what was refused', async () => {
  const server = await startListening();
  const transfer = createTransfer(server);
  const lines = await linesOf(transfer.importChats(new Blob([conversations(1), '\n{"mapping": 5}\n'])));
  expect(lines).toMatchObject([
    { conversation: { place: 'line 1', title: null } },
    { couldNotRead: { place: 'line 2' } },
    { totals: { conversations: { imported: 1, failed: 1 } } },
  ]);
  await expect(transfer.exportChats({ chatId: 'nowhere' })).rejects.toMatchObject({
    constructor: RequestError,
    code: 'NOT_FOUND',
    message: 'There is no such chat',
  });
  await expect(linesOf(transfer.importChats('{}', { format: 'nothing' }))).rejects.toMatchObject({
    constructor: RequestError,
    code: 'BAD_REQUEST',
  });
  await server.stop();
  await expect(transfer.exportChats()).rejects.toThrow(UnreachableError);
});

test('an import whose connection breaks says so, and one that is not wanted any more ends', async () => {
  const server = await startListening();
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const file = conversations(3000);
  const broken = createTransfer({ url: `http://127.0.0.1:${proxy.port}/graphql` }).importChats(file);
  await broken.next();
  proxy.cut();
  await expect(linesOf(broken)).rejects.toMatchObject({
    constructor: UnreachableError,
    message: expect.stringContaining('bringing it again adds the rest') as string,
  });
  const stopping = new AbortController();
  const stopped = createTransfer(server).importChats(file, { signal: stopping.signal });
  await stopped.next();
  stopping.abort(new Error('enough'));
  await expect(linesOf(stopped)).rejects.toThrow('enough');
  // There is no room for a third one before the server has ended both, behind the conversations that they were at.
  const again = await vi.waitFor(() => linesOf(createTransfer(server).importChats(file)), { timeout: 20_000 });
  expect(again.at(-1)).toMatchObject({ totals: { conversations: { failed: 0 } } });
  expect(again).toHaveLength(3001);
});

test('a token that was refused is renewed, and one that cannot be is told', async () => {
  const server = await startListening({ auth: AUTH });
  const sign = (lifetime: number) => signToken(AUTH, { userId: 'u', isAdmin: false, lifetime });
  const asked: boolean[] = [];
  const token = (isRefused: boolean) => {
    asked.push(isRefused);
    return sign(isRefused ? 3600 : -3600);
  };
  const lines = await linesOf(createTransfer({ ...server, token }).importChats(conversations(1)));
  expect([lines.length, asked]).toEqual([2, [false, true]]);
  const expired = createTransfer({ ...server, token: await sign(-3600) });
  await expect(expired.exportChats()).rejects.toThrow(UnauthorizedError);
});
