/** Members of chats, and transfers to other owners: see docs/access/members.md. The core checks the roles. */
import { CHAT, NO_CHAT } from '../../database/table-check.js';
import type { Feature } from '../../feature.js';
import './graphql.js';

export const members: Feature = {
  checks: [
    {
      table: 'chat_members',
      key: ['chatId', 'userId'],
      columns: ['role'],
      joins: { c: CHAT },
      problems: [
        NO_CHAT,
        ['its user is the owner of the chat', 'r.userId = c.userId'],
        ['role is not READER, COMMENTER or WRITER', "r.role NOT IN ('READER', 'COMMENTER', 'WRITER')"],
      ],
    },
  ],
};
