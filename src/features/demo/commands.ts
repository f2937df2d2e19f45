export const demoCommands = {
  demo: { summary: 'write the demo conversation', load: () => import('./command.js') },
};
