export const maintenanceCommands = {
  check: { summary: 'verify the database', load: () => import('./check-command.js') },
  verify: { summary: 'verify the hashes of all messages', load: () => import('./verify-command.js') },
  backup: { summary: 'back up the database and its files', load: () => import('./backup-command.js') },
  restore: { summary: 'restore a backup into an empty database', load: () => import('./restore-command.js') },
};
