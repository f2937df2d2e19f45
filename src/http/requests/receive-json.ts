import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyBuffer } from './body-buffer.js';
import { badRequest, refused } from './transfer-request.js';

/**
 * Reads a JSON body.
 * @throws GraphQLError for another content type, a larger or incomplete body, or invalid JSON
 */
export async function receiveJson(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw refused('The body must have the content type application/json', 'UNSUPPORTED_MEDIA_TYPE', 415);
  }
  const received = new BodyBuffer(maxBytes);
  // The iterator would wait forever for a client that disconnects.
  const end = () => request.destroy();
  response.once('close', end);
  if (response.closed) end();
  try {
    // The iterator leaves the connection open for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (!received.add(chunk)) {
        throw refused(`The body must have at most ${maxBytes} bytes`, 'PAYLOAD_TOO_LARGE', 413);
      }
    }
  } catch (error) {
    throw request.destroyed && !request.complete ? badRequest('The body broke off') : error;
  } finally {
    response.off('close', end);
  }
  try {
    return JSON.parse(received.bytes.toString());
  } catch {
    throw badRequest('The body must be JSON');
  }
}
