/** Documents that are requested by hash, over each transport: docs/access/trusted-documents.md. */
import { createHash } from 'node:crypto';
import type { GraphQLFormattedError } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { TrustedDocuments } from '../../../src/features/trusted-documents/document-manifest.js';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { AUTH } from '../../support/server/tokens.js';

interface Asked {
  query?: unknown;
  documentId?: unknown;
  variables?: Record<string, unknown>;
}

interface Answered {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
}

type Ask = (server: ListeningServer, request: Asked) => Promise<Answered>;

const byPost: Ask = async ({ url }, request) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
  return (await response.json()) as Answered;
};

const byGet: Ask = async ({ url }, { variables, ...texts }) => {
  const parameters = new URLSearchParams(texts as Record<string, string>);
  if (variables !== undefined) parameters.set('variables', JSON.stringify(variables));
  return (await (await fetch(`${url}?${parameters}`)).json()) as Answered;
};

const overWebSocket: Ask = async ({ webSocketUrl }, request) => {
  const { send, take } = await connectWebSocket(webSocketUrl);
  // The client library sends no message without a query.
  send({ type: 'subscribe', id: '1', payload: { query: '', ...request } });
  const { type, payload } = await take('1');
  return type === 'error' ? { errors: payload as GraphQLFormattedError[] } : (payload as Answered);
};

const transports = { 'by POST': byPost, 'by GET': byGet, 'over WebSocket': overWebSocket };

const WHO = '{ viewer { userId } }';
const CHAT = 'query Chat($id: ID!) { chat(id: $id) { id } }';
const CREATE = 'mutation { createChat(input: { id: "made" }) { __typename } }';
const UNKNOWN = '{ viewer { isAdmin } }';
const hashOf = (document: string) => createHash('sha256').update(document).digest('hex');

const start = (mode: TrustedDocuments['mode']) =>
  startListening({
    trustedDocuments: { mode, documents: new Map([WHO, CHAT, CREATE].map((text) => [hashOf(text), text])) },
  });

const refused = (code: string) => ({ errors: [{ message: expect.any(String) as string, extensions: { code } }] });
const ANSWER = { data: { viewer: { userId: 'local' } } };

describe.each(Object.entries(transports))('a document, requested %s', (_name, ask) => {
  it.each(['allow', 'only'] as const)('is found by its hash, in the mode %s', async (mode) => {
    const server = await start(mode);
    expect(await ask(server, { documentId: hashOf(WHO) })).toEqual(ANSWER);
    expect(await ask(server, { documentId: `sha256:${hashOf(WHO)}` })).toEqual(ANSWER);
    expect(await ask(server, { documentId: hashOf(CHAT), variables: { id: 'none' } })).toEqual({
      data: { chat: null },
    });
  });

  it('may be sent with its text when both match', async () => {
    const server = await start('only');
    expect(await ask(server, { documentId: hashOf(WHO), query: WHO })).toEqual(ANSWER);
    expect(await ask(server, { documentId: hashOf(WHO), query: CHAT })).toEqual(refused('BAD_USER_INPUT'));
    expect(await ask(server, { documentId: hashOf(WHO), query: UNKNOWN })).toEqual(refused('BAD_USER_INPUT'));
  });

  it.each(['allow', 'only'] as const)('is unknown by any other hash, in the mode %s', async (mode) => {
    const server = await start(mode);
    expect(await ask(server, { documentId: hashOf(UNKNOWN) })).toEqual(refused('PERSISTED_QUERY_NOT_FOUND'));
    expect(await ask(server, { documentId: hashOf(UNKNOWN), query: UNKNOWN })).toEqual(
      refused('PERSISTED_QUERY_NOT_FOUND'),
    );
  });

  it('has only its lower-case sha256 as id', async () => {
    const server = await start('allow');
    const hash = hashOf(WHO);
    for (const documentId of ['1', 'constructor', hash.toUpperCase(), `md5:${hash}`, `${hash}0`, ` ${hash}`, '']) {
      expect(await ask(server, { documentId }), documentId).toEqual(refused('BAD_USER_INPUT'));
    }
  });

  it('may be any text in the mode allow, and only a trusted text in the mode only', async () => {
    expect(await ask(await start('allow'), { query: UNKNOWN })).toEqual({ data: { viewer: { isAdmin: true } } });
    const server = await start('only');
    expect(await ask(server, { query: WHO })).toEqual(ANSWER);
    expect(await ask(server, { query: UNKNOWN })).toEqual(refused('PERSISTED_QUERY_ONLY'));
    expect(await ask(server, { query: '{ __typename }' })).toEqual(refused('PERSISTED_QUERY_ONLY'));
    expect(await ask(server, { query: 'no document' })).toEqual(refused('PERSISTED_QUERY_ONLY'));
    // Not even with an additional space: the server does not parse the text.
    expect(await ask(server, { query: `${WHO} ` })).toEqual(refused('PERSISTED_QUERY_ONLY'));
  });

  it('has no id in the mode off', async () => {
    for (const server of [await start('off'), await startListening()]) {
      expect(await ask(server, { documentId: hashOf(WHO) })).toEqual(refused('BAD_USER_INPUT'));
      expect(await ask(server, { documentId: hashOf(WHO), query: WHO })).toEqual(refused('BAD_USER_INPUT'));
      expect(await ask(server, { query: WHO })).toEqual(ANSWER);
    }
  });
});

describe.each([
  ['by POST', byPost],
  ['over WebSocket', overWebSocket],
])('an id that is sent %s', (_name, ask) => {
  it('is refused unless it is a text or null', async () => {
    const server = await start('allow');
    for (const documentId of [1, true, {}, [], [hashOf(WHO)]]) {
      expect(await ask(server, { documentId })).toEqual(refused('BAD_USER_INPUT'));
    }
    expect(await ask(server, { documentId: null, query: WHO })).toEqual(ANSWER);
  });
});

describe('a trusted document', () => {
  it('that is a mutation cannot be run by a link', async () => {
    const server = await start('only');
    expect(await byGet(server, { documentId: hashOf(CREATE) })).toEqual(refused('BAD_REQUEST'));
    expect(await byPost(server, { documentId: hashOf(CHAT), variables: { id: 'made' } })).toEqual({
      data: { chat: null },
    });
    expect(await byPost(server, { documentId: hashOf(CREATE) })).toMatchObject({ data: {} });
  });

  it('is not read from the URL of a POST request', async () => {
    const server = await start('only');
    const url = `${server.url}?documentId=${hashOf(WHO)}`;
    expect(await byPost({ ...server, url }, { query: UNKNOWN })).toEqual(refused('PERSISTED_QUERY_ONLY'));
  });

  it('is executed for a browser that opens a link', async () => {
    const { url } = await start('only');
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const response = await fetch(`${url}?documentId=${hashOf(WHO)}`, { headers });
    expect(await response.json()).toEqual(ANSWER);
  });

  it('is refused with status 400 for clients that rely on the status', async () => {
    const { url } = await start('only');
    const statusOf = async (accept: string, request: Asked) => {
      const headers = { 'content-type': 'application/json', accept };
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
      return status;
    };
    for (const request of [{ query: UNKNOWN }, { documentId: hashOf(UNKNOWN) }, { documentId: '1' }]) {
      expect(await statusOf('application/graphql-response+json', request)).toBe(400);
      expect(await statusOf('application/json', request)).toBe(200);
    }
  });

  it('keeps a socket open on which another was refused', async () => {
    const { webSocketUrl } = await start('only');
    const { ask, send, take } = await connectWebSocket(webSocketUrl);
    expect(await ask('1', UNKNOWN)).toMatchObject({ refused: [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }] });
    send({ type: 'subscribe', id: '2', payload: { query: '', documentId: hashOf(WHO) } });
    expect(await take('2')).toMatchObject({ type: 'next', payload: ANSWER });
  });

  it('beyond the limits of documents is refused as any other', async () => {
    const document = `{ viewer { userId } } # ${'x'.repeat(70_000)}`;
    const documents = new Map([[hashOf(document), document]]);
    const server = await startListening({ trustedDocuments: { mode: 'only', documents } });
    for (const ask of Object.values(transports)) {
      expect(await ask(server, { documentId: hashOf(document) })).toMatchObject(refused('GRAPHQL_PARSE_FAILED'));
    }
  });
});

describe('trust', () => {
  it('does not reduce the cost of a document', async () => {
    const documents = new Map([[hashOf(WHO), WHO]]);
    const server = await startListening({ trustedDocuments: { mode: 'only', documents }, limits: { maxDepth: 1 } });
    for (const ask of Object.values(transports)) {
      expect(await ask(server, { documentId: hashOf(WHO) })).toMatchObject(refused('DOCUMENT_LIMIT_EXCEEDED'));
    }
  });

  it('does not replace authentication', async () => {
    const documents = new Map([[hashOf(WHO), WHO]]);
    const server = await startListening({ trustedDocuments: { mode: 'only', documents }, auth: AUTH });
    for (const ask of [byPost, byGet]) {
      expect(await ask(server, { documentId: hashOf(WHO) })).toEqual(refused('UNAUTHENTICATED'));
    }
    await expect(overWebSocket(server, { documentId: hashOf(WHO) })).rejects.toThrow('The socket has closed: 4403');
  });
});

describe('a server', () => {
  const listed = (...documents: [string, string][]) =>
    startListening({ trustedDocuments: { mode: 'allow', documents: new Map(documents) } });

  it('does not start with invalid documents, and names each of them', async () => {
    const [syntax, invalid, changed] = ['{ viewer {', '{ viewer { wrong } }', '{ viewer { id } }'].map(hashOf);
    await expect(
      listed([syntax!, '{ viewer {'], [hashOf(WHO), WHO], [invalid!, '{ viewer { wrong } }'], [changed!, WHO]),
    ).rejects.toThrow(
      [
        'These trusted documents are wrong:',
        `  ${syntax} Syntax Error: Expected Name, found <EOF>.`,
        `  ${invalid} Cannot query field "wrong" on type "Viewer".`,
        `  ${changed} is not the sha256 of its document, which is ${hashOf(WHO)}`,
      ].join('\n'),
    );
  });
});
