import { jsonLines } from '@parley/transport/json-lines';
import { words } from '../words.js';

/** What the server says of an erasure: see its docs/operations.md. */
export interface Erasure {
  removed: { chats: number; messages: number };
  /** Whether the log of its database still has what was removed. */
  isInLog: boolean;
}

/** @throws Error that says why it was not done, or not to its end */
export async function eraseUser(userId: string, headers: Record<string, string>): Promise<Erasure> {
  const response = await fetch(`/users?${new URLSearchParams({ userId }).toString()}`, { method: 'DELETE', headers });
  let last: { erased?: Erasure; errors?: { message: string }[] } = {};
  for await (const line of response.body === null ? [] : jsonLines(response.body)) last = line as typeof last;
  const { erased, errors } = last;
  if (erased === undefined) throw new Error(errors?.[0]?.message ?? words.erasedInPart);
  return erased;
}
