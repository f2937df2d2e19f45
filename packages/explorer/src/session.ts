/** The session of this browser, in a cookie that no script can read: see docs/access/sessions.md. */
import { readStored, removeStored, writeStored } from './stored.js';

/** The id of the user of the session, for all tabs. */
const KEY = 'parley:user';

/** The id of the signed-in user; null without a sign-in. */
export function signedInUser(): string | null {
  const stored = readStored(KEY);
  return typeof stored === 'string' ? stored : null;
}

/** The id of the user; that of the local one if the server has no users. */
export const viewerId = (): string => signedInUser() ?? 'local';

/** @throws Error with the reason of the server */
export async function signIn(token: string): Promise<void> {
  const body = JSON.stringify({ token: token.trim().replace(/^Bearer +/i, '') });
  const headers = { 'content-type': 'application/json' };
  const { userId } = (await answerOf(await fetch('/session', { method: 'POST', headers, body }))) as { userId: string };
  writeStored(KEY, userId);
}

/** @throws Error with the reason of the server */
export async function signOut(): Promise<void> {
  await answerOf(await fetch('/session', { method: 'DELETE' }));
  removeStored(KEY);
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.status === 204 ? null : response.json();
  const { errors } = (await response.json()) as { errors: { message: string }[] };
  throw new Error(errors[0]?.message);
}
