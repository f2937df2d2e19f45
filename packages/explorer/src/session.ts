/** The session of this browser, in a cookie that no script can read: see docs/access/sessions.md. */
import { readStored, removeStored, writeStored } from './browser/stored.js';

/** The id of the user of the session, for all tabs. GraphiQL's sign-in page and that of callbacks store it, too. */
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
  const { userId } = await post<{ userId: string }>('/session', { token: token.trim().replace(/^Bearer +/i, '') });
  writeStored(KEY, userId);
}

/** The name of the issuer at which users sign in; null without one. */
export async function readIssuer(): Promise<string | null> {
  try {
    const { issuer } = (await answerOf(await fetch('/session/sign-in'))) as { issuer: string | null };
    return issuer;
  } catch {
    return null;
  }
}

/** Opens the page of the issuer, which returns to this one. @throws Error with the reason of the server */
export async function signInAtIssuer(): Promise<void> {
  const { pathname, search, hash } = location;
  const { url } = await post<{ url: string }>('/session/sign-in', { page: pathname + search + hash });
  location.assign(url);
}

/** @param everywhere also in other browsers @throws Error with the reason of the server */
export async function signOut(everywhere: boolean): Promise<void> {
  await answerOf(await fetch(`/session?everywhere=${everywhere}`, { method: 'DELETE' }));
  forgetUser();
}

/** Call it when the server has ended the session. */
export const forgetUser = (): void => removeStored(KEY);

async function post<Result>(path: string, body: object): Promise<Result> {
  if (!isSecureContext) throw new Error('Browsers keep a session over https only, or on localhost');
  const headers = { 'content-type': 'application/json' };
  return (await answerOf(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }))) as Result;
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.status === 204 ? null : response.json();
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: { message: string }[] };
  throw new Error(errors?.[0]?.message ?? `The server answered ${response.status}: a proxy must forward /session`);
}
