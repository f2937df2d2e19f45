export const retentionCommands = {
  retention: {
    summary: 'delete the chats whose retention has ended, or list them',
    load: () => import('./command.js'),
  },
};
