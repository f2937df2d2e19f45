export const memberCommands = {
  transfer: { summary: 'transfer all chats of a user to another', load: () => import('./command.js') },
};
