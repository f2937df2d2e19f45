import type { CommandEntry } from '../../command/command.js';

export const copyCommands: Readonly<Record<string, CommandEntry>> = {
  copy: { summary: 'copy all chats of a database into another', load: () => import('./command.js') },
};
