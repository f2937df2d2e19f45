/** GraphiQL at GET /graphql, whole from the package: the page asks no other host for anything. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { Plugin } from 'graphql-yoga';
import { graphiqlTabs } from './graphiql-tabs.js';

/** What the page may do: run its own inline scripts and workers, and talk to this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Page {
  compressed: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** Answers browsers that open the endpoint; programs that GET a query are left to the next. */
export function useGraphiQL(): Plugin {
  // Nine megabytes: rendered and compressed once, when first asked for.
  let page: Promise<Page> | undefined;
  return {
    async onRequest({ request, url, fetchAPI, endResponse }) {
      if (request.method !== 'GET' || url.pathname !== '/graphql' || url.searchParams.has('query')) return;
      if (!request.headers.get('accept')?.includes('text/html')) return;
      const { compressed, etag } = await (page ??= renderPage());
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'cache-control': 'no-cache',
        etag,
      };
      if (request.headers.get('if-none-match') === etag) {
        endResponse(new fetchAPI.Response(null, { status: 304, headers }));
        return;
      }
      // Every browser takes gzip.
      endResponse(new fetchAPI.Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } }));
    },
  };
}

async function renderPage(): Promise<Page> {
  const html = renderGraphiQL({ title: 'Parley', defaultTabs: graphiqlTabs, subscriptionsProtocol: 'WS' });
  const compressed = new Uint8Array(await promisify(gzip)(html));
  return { compressed, etag: `"${createHash('sha256').update(compressed).digest('base64url')}"` };
}
