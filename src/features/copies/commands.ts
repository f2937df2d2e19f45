export const copyCommands = {
  copy: { summary: 'copy all chats of a database into another', load: () => import('./command.js') },
};
