/** `POST /files/links`: signed URLs of files for elements that send no token. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Session } from '../../auth/session.js';
import type { Files } from '../../files/files.js';
import { BodyBuffer } from '../documents/body-buffer.js';
import { badRequest, refused } from '../transfer/transfer-request.js';
import type { UrlSigner } from './signed-urls.js';
import { answerJson } from './upload-route.js';

const MAX_LINKS = 100;
const MAX_BODY_BYTES = 256 * 1024;

const linksRequest = z.object({
  files: z
    .array(z.object({ fileId: z.string().regex(/^[0-9a-f]{64}$/), messageId: z.string().min(1).max(255) }))
    .min(1)
    .max(MAX_LINKS),
});

/** @throws GraphQLError when the body is not a list of files */
export async function answerLinks(
  request: IncomingMessage,
  response: ServerResponse,
  { session, files, signer }: { session: Session; files: Files; signer: UrlSigner },
): Promise<void> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw refused('The body must have the content type application/json', 'UNSUPPORTED_MEDIA_TYPE', 415);
  }
  const parsed = linksRequest.safeParse(await jsonBody(request));
  if (!parsed.success) {
    throw badRequest(`The body must be {"files": [{"fileId", "messageId"}]} with 1 to ${MAX_LINKS} files`);
  }
  const asked = parsed.data.files;
  const found = await files.readableIn(session.viewer, asked);
  const links = asked.map((file, n) => {
    const readable = found[n] ?? null;
    // The same for an unknown file and one that the viewer may not read.
    const signed = readable === null ? { url: null, expiresAt: null } : signer.sign(file, readable, session);
    return { ...file, ...signed };
  });
  answerJson(response, 200, { links });
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const received = new BodyBuffer(MAX_BODY_BYTES);
  // The iterator leaves the connection open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (!received.fits(chunk)) {
      throw refused(`The body must have at most ${MAX_BODY_BYTES} bytes`, 'PAYLOAD_TOO_LARGE', 413);
    }
    received.add(chunk);
  }
  try {
    return JSON.parse(received.bytes.toString());
  } catch {
    throw badRequest('The body must be JSON');
  }
}
