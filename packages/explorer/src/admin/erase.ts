import { jsonLines } from '@parley/transport/json-lines';

/** The response of an erasure: see docs/operations.md of the server. */
export interface Erasure {
  removed: { chats: number; messages: number };
  /** Whether the write-ahead log of the database still contains the data. */
  isInLog: boolean;
}

/** @throws Error with the reason why the erasure failed or is incomplete */
export async function eraseUser(userId: string, headers: Record<string, string>): Promise<Erasure> {
  const response = await fetch(`/users?${new URLSearchParams({ userId }).toString()}`, { method: 'DELETE', headers });
  let last: { erased?: Erasure; errors?: { message: string }[] } = {};
  for await (const line of response.body === null ? [] : jsonLines(response.body)) last = line as typeof last;
  const { erased, errors } = last;
  if (erased === undefined)
    throw new Error(errors?.[0]?.message ?? 'The server stopped before the end: erase the user again to continue.');
  return erased;
}
