/** The texts around the views: header, menus and shortcuts. */
export const shellWords = {
  live: 'live',
  connecting: 'connecting',
  unavailable: 'unavailable',
  views: 'Views',
  back: 'Chats',
  noBranch: 'a version without a branch',
  branches: 'Branches',
  checkpoints: 'Checkpoints',
  manage: 'Manage branches and checkpoints',
  actions: 'More actions',
  renameChat: 'Rename chat',
  deleteChat: 'Delete chat',
  print: 'Print',
  copyLink: 'Copy link',
  copied: 'Copied',
  notCopied: 'The browser refused to copy.',
  graphiql: 'GraphiQL',
  users: 'Users and server',
  shortcuts: 'Keyboard shortcuts',
  signOut: 'Sign out',
  dark: 'Dark colours',
  light: 'Light colours',
  undo: 'Undo',
  commands: 'Search or run a command',
  writing: 'Writing…',
} as const;

/** The name of a shortcut on this machine. */
export function shortcutName(keys: string): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? keys : keys.replace('⌘', 'Ctrl ').replace('  ', ' ').trim();
}
