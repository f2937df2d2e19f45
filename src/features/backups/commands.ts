import type { CommandEntry } from '../../command/command.js';

export const backupCommands: Readonly<Record<string, CommandEntry>> = {
  backup: { summary: 'back up the database and its files', load: () => import('./backup-command.js') },
  restore: { summary: 'restore a backup into an empty database', load: () => import('./restore-command.js') },
};
