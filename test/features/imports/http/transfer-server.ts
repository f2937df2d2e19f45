/** A server with chats of several users, and requests to its import and export routes. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { atDatabase } from '../../../cli/database-content.js';
import { startListening } from '../../../support/server/listening-server.js';
import { AUTH, bearer } from '../../../support/server/tokens.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

/** Starts it until the end of the test. @param chats the users by the ids of their chats, which have one message each */
export async function serverWith(chats: Record<string, string>, options: Parameters<typeof startListening>[0] = {}) {
  const server = await startListening({ auth: AUTH, ...options });
  await atDatabase(server.databaseUrl, async ({ store }) => {
    for (const [id, userId] of Object.entries(chats)) {
      const viewer = { userId, isAdmin: false };
      await createChat(store, viewer, { id, title: `Of ${userId}` });
      const content = { text: `Hello from ${id}` };
      await saveMessages(store, viewer, {
        chatId: id,
        messages: [{ id: `${id}-1`, name: 'user', type: 'message', content }],
      });
    }
  });
  const at = (path: string) => server.url.replace('/graphql', path);
  const out = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(at(`/export${query}`), { headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const bring = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, query = '') => {
    const response = await fetch(at(`/import${query}`), {
      method: 'POST',
      headers: { 'content-type': 'application/jsonl', ...headers },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const erase = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(at(`/users${query}`), { method: 'DELETE', headers });
    return { status: response.status, text: await response.text() };
  };
  return { ...server, at, out, bring, erase };
}

/** The ids of the chats in an export of Parley's format. */
export const idsIn = (text: string) => [...text.matchAll(/"chat":\{"id":"(\w+)"/g)].map(([, id]) => id).sort();

/** Lists the folders of the imports of this test. */
export function importFolders(): () => string[] {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(folder).flatMap((name) => (name.startsWith('parley-import-') ? [join(folder, name)] : []));
}

/** Begins an upload, whose request is destroyed with the test. */
export async function upload({ at }: { at: (path: string) => string }, user: string, body: string, isWhole: boolean) {
  const headers = { ...(await bearer(user)), 'content-type': 'application/jsonl', 'transfer-encoding': 'chunked' };
  const request = httpRequest(at('/import'), { method: 'POST', headers }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  request.write(body);
  if (isWhole) request.end();
  return request;
}

/** More response lines than the buffers of a connection hold. */
export const UNREAD = '{"nothing":1}\n'.repeat(120_000);

/** Sends a body in pieces, one every 25 ms, and returns the answer as text. */
export function drip(
  url: string,
  headers: Record<string, string>,
  length: number,
  pieces: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const lines = Object.entries({
      host: 'a',
      'content-type': 'application/json',
      'content-length': length,
      ...headers,
    });
    socket.write(`POST /import HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    const rest = [...pieces];
    const timer = setInterval(() => {
      const piece = rest.shift();
      if (piece !== undefined) socket.write(piece);
    }, 25);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes('"totals"')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}
