import type { CommandEntry } from '../../command/command.js';

export const demoCommands: Readonly<Record<string, CommandEntry>> = {
  demo: { summary: 'write the demo conversation', load: () => import('./command.js') },
};
