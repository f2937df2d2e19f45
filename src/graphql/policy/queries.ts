import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import { toConnection } from '../pages/connection.js';
import { decodeHoldCursor, encodeHoldCursor } from '../pages/cursors.js';
import { readPage } from '../pages/page-arguments.js';
import { legalHoldConnection } from './legal-hold.js';

builder.queryField('legalHolds', (t) =>
  t.field({
    audit: null,
    type: legalHoldConnection,
    description: 'Admins only: all legal holds, those on chats first, each by id.',
    args: t.arg.connectionArgs(),
    resolve: async (_root, args, { reads, viewer }) => {
      if (!viewer.isAdmin) throw badUserInput('legalHolds: only an admin may list legal holds');
      return toConnection(await reads.holdPage(readPage(args, decodeHoldCursor)), encodeHoldCursor);
    },
  }),
);
