/** Servers in production mode, and the lines of their logs. */
import { expect } from 'vitest';
import { signToken } from '../../../src/features/signed-tokens/sign-token.js';
import type { ConfiguredServer } from '../../support/server/configured-server.js';
import type { ServerProcess, Settings } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

/** A long and unusual text that can be found in logs. */
export const SECRET = 'Xyzzy-marked-secret-0123456789-abcdef';
export const SAVE = `mutation Save($text: String) {
  saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: $text } }] }) { __typename }
}`;

export type Line = Record<string, unknown>;

export async function post(url: string, body: object | string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { errors?: { extensions: Record<string, string> }[] };
  return { id: response.headers.get('x-request-id'), ...answer };
}

/** Stops a server and returns the lines of its log. */
export async function linesOf({ stop, log }: ConfiguredServer): Promise<Line[]> {
  await stop();
  return lines(log());
}

/** The same for a process, including the lines of its start and stop. */
export async function linesOfProcess({ kill, exited }: ServerProcess): Promise<Line[]> {
  kill('SIGTERM');
  const { code, stderr } = await exited;
  expect(code).toBe(0);
  return lines(stderr);
}

export function lines(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** As browsers send it, and as programs do. */
export const tokenOf = (userId: string) => signToken({ secret: SECRET }, { userId, isAdmin: true, lifetime: 60 });

export async function startForOthers<Server>(
  start: (settings: Settings) => Promise<Server>,
  settings: Partial<Settings> = {},
): Promise<{ server: Server; headers: { authorization: string } }> {
  const server = await start({ DATABASE_URL: temporaryDatabaseUrl(), AUTH_JWT_SECRET: SECRET, ...settings });
  return { server, headers: { authorization: `Bearer ${await tokenOf('alice')}` } };
}
