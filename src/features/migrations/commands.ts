export const migrationCommands = {
  migrate: { summary: 'bring the database up to date', load: () => import('./migrate-command.js') },
};
