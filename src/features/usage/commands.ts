export const usageCommands = {
  usage: { summary: 'print the tokens of users by month as CSV', load: () => import('./command.js') },
};
