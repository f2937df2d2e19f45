/** `DELETE /users?userId=…`: erases a user. The answer is JSON with progress lines and one result line. */
import type { ServerResponse } from 'node:http';
import type { AuditRecord } from '../../audit.js';
import type { RunningErasure } from '../../conversation/erasure.js';
import type { Viewer } from '../../conversation/model.js';
import { JsonLinesResponse } from './json-lines-response.js';
import { badRequest, parametersOf, refused } from '../requests/transfer-request.js';

export interface EraseServices {
  erase: (userId: string) => RunningErasure;
  /** Called after an erasure. */
  onErased: (userId: string) => Promise<void>;
  /** Receives log lines. */
  log: (line: string) => void;
}

/**
 * Continues after the client disconnects: a half-erased user is useless.
 * @throws GraphQLError when it is refused, or fails before the first line of the answer
 */
export async function answerErase(
  response: ServerResponse,
  { url, viewer, audit, erase, onErased, log }: EraseServices & { url: URL; viewer: Viewer; audit: AuditRecord | null },
): Promise<void> {
  if (!viewer.isAdmin) throw refused('Only admins can erase users', 'FORBIDDEN', 403);
  const { userId } = parametersOf(url, ['userId']);
  if (userId === undefined) throw badRequest('userId is required');

  const { removed, done } = erase(userId);
  const lines = new JsonLinesResponse(response, () => ({ removed }));
  let isDone = false;
  try {
    const erased = await done;
    await onErased(userId);
    // The log must not name the erased user.
    log(`"${viewer.userId}" has erased a user with ${erased.removed.chats} chats`);
    audit?.done({ event: 'user.erased', chatIds: [], target: userId });
    lines.writeLine({ erased });
    isDone = true;
  } finally {
    lines.stop(isDone);
  }
}
