import type { Member } from '../../conversation/model.js';
import { builder } from '../builder.js';
import { countedConnectionRef } from '../pages/connection.js';
import { chatRole } from './role.js';

export const memberRef = builder.objectRef<Member>('ChatMember').implement({
  description: 'A user with access to a chat.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The user.' }),
    role: t.expose('role', { type: chatRole, description: 'The rights of the user.' }),
    addedAt: t.expose('addedAt', {
      type: 'DateTime',
      description: 'When the user became a member; for the owner, when the chat was created.',
    }),
    addedBy: t.exposeID('addedBy', {
      description: 'The user who added the member or last changed the role; for the owner, the owner.',
    }),
  }),
});

export const memberConnection = countedConnectionRef('ChatMember', memberRef);
