export const tokenCommands = {
  token: { summary: 'print a token for trials', load: () => import('./token-command.js') },
};
