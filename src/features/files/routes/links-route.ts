/** `POST /files/links`: signed URLs of files for elements that send no token. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { AuditRecord } from '../../../audit.js';
import type { Session } from '../../../auth/session.js';
import type { MessageFiles } from '../message-files.js';
import { receiveJson } from '../../../http/requests/receive-json.js';
import { badRequest } from '../../../http/requests/transfer-request.js';
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
  {
    session,
    audit,
    files,
    signer,
  }: { session: Session; audit: AuditRecord | null; files: MessageFiles; signer: UrlSigner },
): Promise<void> {
  const parsed = linksRequest.safeParse(await receiveJson(request, response, MAX_BODY_BYTES));
  if (!parsed.success) {
    throw badRequest(`The body must be {"files": [{"fileId", "messageId"}]} with 1 to ${MAX_LINKS} files`);
  }
  const asked = parsed.data.files;
  const found = await files.readableIn(session.viewer, asked);
  const links = asked.map((file, n) => {
    const readable = found[n] ?? null;
    // The same for an unknown file and one that the viewer may not read.
    if (readable === null) audit?.missed('file.linked');
    else audit?.done({ event: 'file.linked', chatIds: [readable.chatId], target: file.fileId });
    const signed = readable === null ? { url: null, expiresAt: null } : signer.sign(file, readable, session);
    return { ...file, ...signed };
  });
  answerJson(response, 200, { links });
}
