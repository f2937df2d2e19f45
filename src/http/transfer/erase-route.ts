/** `DELETE /users?userId=…`: erases a user. The answer is JSON, a line as long as it goes on and one at the end. */
import type { ServerResponse } from 'node:http';
import type { RunningErasure } from '../../conversation/erasure.js';
import type { Viewer } from '../../conversation/model.js';
import { JsonLinesResponse } from './json-lines-response.js';
import { badRequest, parametersOf, refused } from './transfer-request.js';

export interface EraseServices {
  erase: (userId: string) => RunningErasure;
  /** Takes lines for the log. */
  log: (line: string) => void;
}

/**
 * Goes on when the client goes: what is half erased would be of no use to anybody.
 * @throws GraphQLError when it is refused, or fails before anything is answered
 */
export async function answerErase(
  response: ServerResponse,
  { url, viewer, erase, log }: EraseServices & { url: URL; viewer: Viewer },
): Promise<void> {
  if (!viewer.isAdmin) throw refused('Only admins erase users', 'FORBIDDEN', 403);
  const { userId } = parametersOf(url, ['userId']);
  if (userId === undefined) throw badRequest('userId is required');

  const { removed, done } = erase(userId);
  const lines = new JsonLinesResponse(response, () => ({ removed }));
  let isDone = false;
  try {
    const erased = await done;
    // Who it was is forgotten here, too.
    log(`"${viewer.userId}" has erased a user with ${erased.removed.chats} chats`);
    lines.say({ erased });
    isDone = true;
  } finally {
    lines.stop(isDone);
  }
}
