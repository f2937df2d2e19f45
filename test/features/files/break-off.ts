/** An upload whose connection closes before its end. */
import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { sha256, type startFileServer } from './file-server.js';

type Server = Awaited<ReturnType<typeof startFileServer>>;

/**
 * Sends the beginning of a file, and closes the connection when the server has it.
 * @returns the bytes that the server has
 */
export async function breakOff(
  { at }: Pick<Server, 'at'>,
  user: Awaited<ReturnType<Server['as']>>,
  beginning: string,
): Promise<() => Promise<number>> {
  const hash = sha256('the whole file');
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/octet-stream' };
  const request = httpRequest(at(`/files?sha256=${hash}&size=100`), { method: 'POST', headers }).on('error', () => {});
  request.write(beginning);
  const offset = async () => ((await (await user.get(`/files?sha256=${hash}`)).json()) as { offset: number }).offset;
  await expect.poll(offset).toBeGreaterThan(0);
  request.destroy();
  return offset;
}
