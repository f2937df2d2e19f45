/**
 * The explorer at GET / and the page of shares at GET /s, built into explorer/dist. Its files are public and equal for all users; the page prompts for a
 * token if the server requires one.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OpenRoute } from '../../route.js';

const FOLDER = fileURLToPath(new URL('../../../packages/explorer/dist', import.meta.url));

/** The files of pages, by their paths: the explorer, and the page of shares, whose token is in the fragment. */
const PAGES = new Map([
  ['/', 'index.html'],
  ['/s', 'share.html'],
]);
const PATHS = new Map([...PAGES].map(([path, file]) => [file, path]));

/** The page may run its own scripts, none of them inline, and connect to this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

interface File {
  plain: Uint8Array<ArrayBuffer>;
  compressed: Uint8Array<ArrayBuffer>;
  etag: string;
  headers: Record<string, string>;
}

/** Answers GET /, GET /s and the files of the pages, if the explorer was built. */
export function createExplorer(): OpenRoute['open'] {
  // Read and compressed once, at the first request.
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  return async (
    { method, url = '', headers: { 'if-none-match': known, 'accept-encoding': accepted = '' } },
    response,
  ) => {
    if (method !== 'GET' && method !== 'HEAD') return false;
    const [path = ''] = url.split('?');
    const file = (await (files ??= readFiles())).get(path);
    if (file === undefined) return false;
    const isCompressed = String(accepted).includes('gzip');
    const bytes = isCompressed ? file.compressed : file.plain;
    const etag = isCompressed ? file.etag : `W/${file.etag}`;
    const headers = {
      ...file.headers,
      etag,
      vary: 'accept-encoding',
      'content-security-policy': CONTENT_SECURITY_POLICY,
    };
    const encoding = { ...(isCompressed && { 'content-encoding': 'gzip' }), 'content-length': bytes.length };
    if (known === etag) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, ...encoding }).end(method === 'HEAD' ? undefined : bytes);
    return true;
  };
}

/** By the path of their URL. */
async function readFiles(): Promise<ReadonlyMap<string, File>> {
  if (!existsSync(FOLDER)) return new Map();
  const assets = await readdir(join(FOLDER, 'assets'));
  const paths = [...PAGES.values(), ...assets.map((name) => `assets/${name}`)];
  return new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, File]> => {
        const plain = new Uint8Array(await readFile(join(FOLDER, path)));
        const compressed = new Uint8Array(await promisify(gzip)(plain, { level: 9 }));
        const page = PATHS.get(path);
        const headers = {
          'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
          // File names contain a hash of the content; only the page refers to them.
          'cache-control': page === undefined ? 'public, max-age=31536000, immutable' : 'no-cache',
          // Search engines must not list links.
          ...(page === '/s' && { 'x-robots-tag': 'noindex, nofollow' }),
        };
        const etag = `"${createHash('sha256').update(compressed).digest('base64url')}"`;
        return [page ?? `/${path}`, { plain, compressed, etag, headers }];
      }),
    ),
  );
}
