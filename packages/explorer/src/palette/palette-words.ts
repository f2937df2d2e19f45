/** The texts of the command palette. */
export const paletteWords = {
  title: 'Command palette',
  placeholder: 'Search chats, messages, branches and actions',
  nothing: 'Nothing matches.',
  chats: 'Chats',
  branches: 'Branches and checkpoints',
  messages: 'Messages',
  actions: 'Actions',
  importFiles: 'Import files',
  show: (view: string): string => `Show ${view}`,
  light: 'Use light colours',
  dark: 'Use dark colours',
  shortcuts: 'Show keyboard shortcuts',
} as const;
