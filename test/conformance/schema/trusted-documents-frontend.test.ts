/** The frontend of docs/access/trusted-documents.md: a server loads its generated manifest, and runs its operations. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from 'graphql-ws';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../../src/config.js';
import { programsOf, readDocument } from '../../context/docs/docs-examples.js';
import { startListening } from '../../support/server/listening-server.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Packages resolve from this folder. */
const FRONTEND = join(ROOT, 'test/conformance/generated/trusted-documents-frontend');
const CODEGEN = join(ROOT, 'test/conformance/node_modules/@graphql-codegen/cli/esm/bin.js');

/** The exports of the frontend's code. */
interface Document {
  __meta__: { hash: string };
}
interface Documents {
  Chats: Document;
  HeadMoved: Document;
}
interface Asking {
  ask(url: string, document: Document, variables: object): Promise<unknown>;
  follow(client: Client, document: Document, variables: object): AsyncIterator<unknown>;
}

beforeAll(() => {
  for (const [name, code] of programsOf(readDocument('docs/access/trusted-documents.md'))) {
    const path = join(FRONTEND, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  cpSync(join(ROOT, 'schema.graphql'), join(FRONTEND, 'schema.graphql'));
  execFileSync(process.execPath, [CODEGEN, '--config', 'codegen.ts', '--errors-only'], { cwd: FRONTEND });
  return () => rmSync(FRONTEND, { recursive: true });
});

/** A server that runs this frontend's documents only, with the demo conversation. */
const startForFrontend = () => {
  const { trustedDocuments } = readConfig({
    TRUSTED_DOCUMENTS: 'only',
    TRUSTED_DOCUMENTS_MANIFEST: join(FRONTEND, 'src/graphql/persisted-documents.json'),
  });
  return startListening({ demo: true, trustedDocuments });
};

const documents = async () => (await import(join(FRONTEND, 'src/chats.ts'))) as Documents;
const asking = async () => (await import(join(FRONTEND, 'src/ask.ts'))) as Asking;

const CHATS = { data: { chats: { edges: [{ node: { id: 'demo', title: 'A weekend in Portugal' } }] } } };

it('requests its documents with its own code, over HTTP', async () => {
  const { url } = await startForFrontend();
  const [{ ask }, { Chats }] = [await asking(), await documents()];
  expect(await ask(url, Chats, { first: 1 })).toEqual(CHATS);
});

it('and over WebSocket', async () => {
  const { webSocketUrl } = await startForFrontend();
  const [{ follow }, { HeadMoved }] = [await asking(), await documents()];
  const client = createClient({ url: webSocketUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
  onTestFinished(async () => client.dispose());
  expect(await follow(client, HeadMoved, { chatId: 'demo' }).next()).toEqual({
    done: false,
    value: { data: { branchHead: { branch: { name: 'main' } } } },
  });
});

it('can request them by a link, for HTTP caches', async () => {
  const { url } = await startForFrontend();
  const { hash } = (await documents()).Chats.__meta__;
  const parameters = new URLSearchParams({ documentId: hash, variables: '{"first":1}' });
  expect(await (await fetch(`${url}?${parameters}`)).json()).toEqual(CHATS);
});

it('cannot run any other document', async () => {
  const { ask } = await startForFrontend();
  expect(await ask('{ viewer { userId } }')).toMatchObject({
    errors: [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }],
  });
});

it('is valid TypeScript', () => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--skipLibCheck',
    '--ignoreConfig',
  ];
  execFileSync(process.execPath, [tsc, ...options, 'codegen.ts', 'src/ask.ts', 'src/chats.ts'], {
    cwd: FRONTEND,
    stdio: 'inherit',
  });
});
