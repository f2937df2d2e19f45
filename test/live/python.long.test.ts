/** The programs of docs/clients/python.md, on a server behind an unreliable network. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startListening, type ListeningServer } from '../support/server/listening-server.js';
import { startProxy } from '../support/server/tcp-proxy.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const DOCUMENT = readFileSync(new URL('../../docs/clients/python.md', import.meta.url), 'utf8');

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const without = hasPython ? '' : ' (skipped: there is no python3 of version 3.9 or newer)';

/** A server, a proxy to it, and the programs of the page. */
async function openPage() {
  const server = await startListening();
  const { hostname, port } = new URL(server.url);
  const network = await startProxy({ host: hostname, port: Number(port) });
  const folder = temporaryFolder();
  for (const [, code = '', name = ''] of DOCUMENT.matchAll(/```python\n(# (\S+\.py)\n[^]*?)```/g)) {
    writeFileSync(join(folder, name), code);
  }
  const env = { ...process.env, PARLEY_URL: `http://127.0.0.1:${network.port}/graphql`, PYTHONUNBUFFERED: '1' };
  const start = (name: string) => {
    const child = spawn('python3', [name], { cwd: folder, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return {
      lines: () => printed.split('\n').slice(0, -1),
      input: child.stdin,
      /** All printed lines, after an exit with code 0. */
      end: async () => {
        expect([await ended, printed]).toEqual([0, printed]);
        return printed.split('\n').slice(0, -1);
      },
    };
  };
  return { server, network, start };
}

const draftOf = (server: ListeningServer) =>
  server.ask('{ chat(id: "python") { drafts { edges { node { id length state } } } } }');

test.skipIf(!hasPython)(`saves, reads and follows across a disconnect${without}`, async () => {
  const { server, network, start } = await openPage();
  expect(await start('save.py').end()).toEqual(['user: How do I get to the sea?']);
  const following = start('follow.py');
  await expect.poll(following.lines).toHaveLength(4);
  network.swallow();
  network.cut();
  await server.ask(
    'mutation { saveMessages(input: { chatId: "python", messages: [{ name: "assistant", content: { text: "By tram." } }] }) { __typename } }',
  );
  network.restore();
  network.cut();
  await expect.poll(following.lines).toHaveLength(5);
  await server.ask('mutation { deleteChat(input: { chatId: "python" }) { __typename } }');
  expect(await following.end()).toEqual([
    '1 ChatCreated []',
    '2 BranchCreated []',
    '3 BranchActivated []',
    "4 BranchHeadMoved ['How do I get to the sea?']",
    "5 BranchHeadMoved ['By tram.']",
    '6 ChatDeleted []',
  ]);
});

test.skipIf(!hasPython)(`writes a draft that survives a disconnect${without}`, async () => {
  const { server, network, start } = await openPage();
  await start('save.py').end();
  const writing = start('draft.py');
  writing.input.write('Take \n');
  await expect
    .poll(() => draftOf(server))
    .toMatchObject({ data: { chat: { drafts: { edges: [{ node: { length: 1 } }] } } } });
  network.swallow();
  network.cut();
  await expect.poll(network.sockets).toBe(0);
  writing.input.write('the tram.\n');
  await expect.poll(network.sockets).toBe(1);
  network.restore();
  network.cut();
  writing.input.end();
  expect(await writing.end()).toEqual(['Take ', 'the tram.', '']);
});

test.skipIf(!hasPython)(`ends a draft as incomplete when a viewer stops it${without}`, async () => {
  const { server, start } = await openPage();
  await start('save.py').end();
  const writing = start('draft.py');
  writing.input.write('Take \n');
  await expect
    .poll(() => draftOf(server))
    .toMatchObject({ data: { chat: { drafts: { edges: [{ node: { length: 1 } }] } } } });
  const { data } = (await draftOf(server)) as { data: { chat: { drafts: { edges: { node: { id: string } }[] } } } };
  await server.ask(
    `mutation { stopDraft(input: { chatId: "python", id: "${data.chat.drafts.edges[0]!.node.id}" }) { __typename } }`,
  );
  writing.input.end('the tram.\n');
  expect(await writing.end()).toEqual(['Take ', 'the tram.', '']);
  expect(await server.ask('{ chat(id: "python") { activeBranch { head { data } } } }')).toMatchObject({
    data: { chat: { activeBranch: { head: { data: { metadata: { status: 'incomplete' } } } } } },
  });
});
