import { builder } from './builder.js';

export const chatRole = builder.enumType('ChatRole', {
  description: 'The rights of a user in a chat. Each role has those of the following ones.',
  values: {
    OWNER: { description: 'Also transfers and deletes the chat, and changes its members.' },
    WRITER: {
      description: 'Also writes to all branches, and changes the chat, its active branch and its checkpoints.',
    },
    COMMENTER: { description: 'Also creates branches, and writes to them. New branches stay inactive.' },
    READER: { description: 'Reads everything of the chat.' },
  } as const,
});
