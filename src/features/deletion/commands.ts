export const deletionCommands = {
  'erase-user': { summary: 'erase a user from the database', load: () => import('./erase-command.js') },
};
