import type { CommandEntry } from '../../command/command.js';

export const exportCommands: Readonly<Record<string, CommandEntry>> = {
  export: { summary: 'export chats', load: () => import('./command.js') },
};
