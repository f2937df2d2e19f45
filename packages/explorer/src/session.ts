/** The session of this browser, in a cookie that no script can read: see docs/access/sessions.md. */
import { readStored, removeStored, writeStored } from './stored.js';

/** The id of the user of the session, for all tabs. GraphiQL's sign-in page stores it, too. */
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
  if (!isSecureContext) throw new Error('Browsers keep a session over https only, or on localhost');
  const body = JSON.stringify({ token: token.trim().replace(/^Bearer +/i, '') });
  const headers = { 'content-type': 'application/json' };
  const { userId } = (await answerOf(await fetch('/session', { method: 'POST', headers, body }))) as { userId: string };
  writeStored(KEY, userId);
}

/** @param everywhere also in other browsers @throws Error with the reason of the server */
export async function signOut(everywhere: boolean): Promise<void> {
  await answerOf(await fetch(`/session?everywhere=${everywhere}`, { method: 'DELETE' }));
  forgetUser();
}

/** Call it when the server has ended the session. */
export const forgetUser = (): void => removeStored(KEY);

async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.status === 204 ? null : response.json();
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: { message: string }[] };
  throw new Error(errors?.[0]?.message ?? `The server answered ${response.status}: a proxy must forward /session`);
}
