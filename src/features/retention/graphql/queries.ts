import { badUserInput } from '../../../graphql/bad-user-input.js';
import { builder } from '../../../graphql/builder.js';
import { toConnection } from '../../../graphql/pages/connection.js';
import { isPossibleId } from '../../../conversation/bounds.js';
import { readCursor, writeCursor, wrongCursor } from '../../../graphql/pages/cursors.js';
import { readPage } from '../../../graphql/pages/page-arguments.js';
import type { HoldTarget } from '../legal-hold.js';
import { legalHoldConnection } from './legal-hold.js';

builder.queryField('legalHolds', (t) =>
  t.field({
    audit: null,
    type: legalHoldConnection,
    description: 'Admins only: all legal holds, those on chats first, each by id.',
    args: t.arg.connectionArgs(),
    resolve: async (_root, args, { viewer, legalHolds }) => {
      if (!viewer.isAdmin) throw badUserInput('legalHolds: only an admin may list legal holds');
      return toConnection(await legalHolds.page(readPage(args, decodeCursor)), encodeCursor);
    },
  }),
);

function encodeCursor({ scope, targetId }: HoldTarget): string {
  return writeCursor('hold', `${scope}:${targetId}`);
}

function decodeCursor(cursor: string, argument: string): HoldTarget {
  const match = /^(CHAT|USER):(.+)$/su.exec(readCursor('hold', cursor, argument));
  const [, scope, targetId] = match ?? [];
  if (targetId === undefined || !isPossibleId(targetId)) throw wrongCursor(argument);
  return { scope: scope as HoldTarget['scope'], targetId };
}
