import type { CommandEntry } from '../../command/command.js';

export const retentionCommands: Readonly<Record<string, CommandEntry>> = {
  retention: {
    summary: 'delete the chats whose retention has ended, or list them',
    load: () => import('./command.js'),
  },
};
