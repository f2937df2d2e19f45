/** `DELETE /users?userId=…`: erases a user. The answer is JSON with progress lines and one result line. */
import type { Host, RouteServices } from '../../feature.js';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import type { Provider } from '../../database/connection/connection.js';
import { noRows } from './remove-rows.js';
import { badRequest, parametersOf, refused } from '../../http/requests/transfer-request.js';
import { JsonLinesResponse } from '../../http/transfer/json-lines-response.js';
import { TransferSlots } from '../../limits/transfer-slots.js';
import type { Route } from '../../route.js';
import { eraseUser } from './erasure.js';

/** Changes outside the user's own chats may exceed the server's privileges: see docs/databases.md. */
const DENIED =
  'The database role must not change authors in stored rows: run npm run erase-user as the owner of the tables to continue';

/** Its answer continues after the client disconnects: a half-erased user is useless. */
export function eraseRoute(
  connection: Provider,
  { log, onChange, onErased }: Pick<Host, 'log'> & Pick<RouteServices, 'onChange' | 'onErased'>,
): Route {
  return {
    methods: ['DELETE'],
    slots: new TransferSlots('erasures', { ofAUser: 2, ofAll: 8 }),
    scope: 'MANAGE',
    event: 'user.erased',
    isForPages: true,
    answer: async ({ response, url, session: { viewer }, audit }) => {
      if (!viewer.isAdmin) throw refused('Only admins can erase users', 'FORBIDDEN', 403);
      const { userId } = parametersOf(url, ['userId']);
      if (userId === undefined) throw badRequest('userId is required');

      const removed = noRows();
      const lines = new JsonLinesResponse(response, () => ({ removed }));
      let isDone = false;
      try {
        const onRemoved = ({ chatId, seq }: { chatId: string; seq: number }) => onChange({ chatId, version: seq });
        const erased = await eraseUser(connection, userId, { removed, onRemoved });
        await onErased(userId);
        // The log must not name the erased user.
        log(`"${viewer.userId}" has erased a user with ${erased.removed.chats} chats`);
        audit?.done({ event: 'user.erased', chatIds: [], target: userId });
        lines.writeLine({ erased });
        isDone = true;
      } catch (error) {
        throw connection.sql.failure(error) === 'denied'
          ? new DatabaseUnavailableError(DENIED, { cause: error })
          : error;
      } finally {
        lines.stop(isDone);
      }
    },
  };
}
