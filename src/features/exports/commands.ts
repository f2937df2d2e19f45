export const exportCommands = {
  export: { summary: 'export chats', load: () => import('./command.js') },
};
