/** GraphiQL at GET /graphql, served completely from the package: the page loads nothing from other hosts. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Admit, RouteServices } from '../../feature.js';
import { signInPage } from './graphiql-sign-in.js';
import { patchGraphiqlHtml } from './patch-graphiql-html.js';
import { credentialsOf, sessionSecretOf } from '../../http/server/credentials.js';
import { refuseRequest } from '../../http/answers/refused-request.js';
import { readFileSync } from 'node:fs';

/** The page may run its own inline scripts and workers, and connect to this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
};

interface Page {
  compressed: Uint8Array<ArrayBuffer>;
  etag: string;
}

/**
 * Answers browsers that open the endpoint; a program's GET query passes to the next plugin. When tokens are required,
 * the page is for admins only.
 */
export function useGraphiQL({ admit, areUsersKnown }: Pick<RouteServices, 'admit' | 'areUsersKnown'>): Plugin {
  // Nine megabytes: rendered and compressed once, at the first request.
  let page: Promise<Page> | undefined;
  return {
    async onRequest({ request, url, serverContext, fetchAPI, endResponse }) {
      if (request.method !== 'GET' || url.pathname !== '/graphql') return;
      if (!request.headers.get('accept')?.includes('text/html')) return;
      // The page writes its operation into the URL; a reload or a link to it requests the page.
      const isVisit = request.headers.get('sec-fetch-mode') === 'navigate';
      const isAsked = url.searchParams.has('query') || url.searchParams.has('documentId');
      if (isAsked && !isVisit) return;
      const respond = (body: BodyInit | null, status: number, headers: Record<string, string>) =>
        endResponse(new fetchAPI.Response(body, { status, headers: { ...PAGE_HEADERS, ...headers } }));
      if (areUsersKnown) {
        const refused = await refusalOf(admit, request, serverContext as { req?: IncomingMessage });
        const { code } = refused?.extensions ?? {};
        if ((code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') && !request.headers.has('authorization')) {
          const page = signInPage(code === 'FORBIDDEN' ? FOR_ADMINS : '');
          return respond(page, 401, { 'www-authenticate': 'Bearer', 'cache-control': 'no-store' });
        }
        if (refused !== null) return endResponse(refuseRequest(refused, serverContext, fetchAPI));
      }
      const { compressed, etag } = await (page ??= renderPage());
      const headers = { 'cache-control': areUsersKnown ? 'private, no-cache' : 'no-cache', etag };
      if (request.headers.get('if-none-match') === etag) return respond(null, 304, headers);
      // Every browser takes gzip.
      respond(compressed, 200, { ...headers, 'content-encoding': 'gzip' });
    },
  };
}

const FOR_ADMINS = 'This page is for admins';

/** The reason why a viewer does not get the page, which contains no data: any link may open it in a session. */
async function refusalOf(
  admit: Admit,
  { headers }: Request,
  serverContext: { req?: IncomingMessage },
): Promise<GraphQLError | null> {
  try {
    const header = (name: string) => headers.get(name);
    const credentials = { ...credentialsOf(header, false), sessionSecret: sessionSecretOf(header) };
    const { viewer } = await admit(credentials, serverContext.req);
    if (viewer.isAdmin) return null;
    return new GraphQLError(FOR_ADMINS, { extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

async function renderPage(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Parley',
    defaultTabs: readGraphiqlTabs(),
  });
  const compressed = new Uint8Array(await promisify(gzip)(patchGraphiqlHtml(html)));
  return { compressed, etag: `"${createHash('sha256').update(compressed).digest('base64url')}"` };
}

/** The initial tabs of GraphiQL: operations that run on the demo chat. */
interface Tab {
  query: string;
  /** JSON. */
  variables?: string;
}

/** Input of the tab Context. */
const travelGuide = {
  renderer: 'XML',
  fragments: [
    { name: 'role', data: 'You know every corner of Portugal.' },
    { name: 'hint', data: 'Name one place, and say why.' },
    { name: 'identity', data: { name: 'Ana', interests: ['food', 'walking'] } },
  ],
  pending: [{ name: 'user', content: { text: 'And where do we eat?' } }],
};

/** @param name file in `tabs`, without its extension */
function tab(name: string, variables?: object): Tab {
  const query = readFileSync(new URL(`tabs/${name}.graphql`, import.meta.url), 'utf8');
  return { query, ...(variables && { variables: JSON.stringify(variables, null, 2) }) };
}

/** Reads the tabs from their files: exploring first, then changing. The ids are those of the demo chat, so each tab runs unchanged. */
export const readGraphiqlTabs = (): Tab[] => [
  tab('newest-chat'),
  tab('chats', { filter: { userId: 'local', title: 'weekend' } }),
  tab('search', { query: 'river walk' }),
  tab('message', { id: 'demo-question' }),
  tab('branches', { chatId: 'demo' }),
  tab('compare', { chatId: 'demo', base: { branch: 'main' }, head: { branch: 'main-v2' } }),
  tab('events', { chatId: 'demo', filter: {} }),
  tab('users', { search: '', from: '2026-01' }),
  tab('save', { input: { chatId: 'demo', messages: [{ name: 'user', content: { text: 'And on a rainy day?' } }] } }),
  tab('edit', {
    input: { chatId: 'demo', messageId: 'demo-question', content: { text: 'Where could we go in Lisbon?' } },
  }),
  tab('arrows', { input: { chatId: 'demo', messageId: 'demo-other-answer' } }),
  tab('rewind', { input: { chatId: 'demo', at: { message: 'demo-answer' } } }),
  tab('switch', { input: { chatId: 'demo', name: 'main' } }),
  tab('checkpoint', { input: { chatId: 'demo', name: 'before the weather turned' } }),
  tab('restore', { input: { chatId: 'demo', name: 'the first idea' } }),
  tab('context', { chatId: 'demo', input: travelGuide }),
  tab('follow', { chatId: 'demo' }),
];
