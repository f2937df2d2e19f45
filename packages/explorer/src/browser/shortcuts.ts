/** The keyboard shortcuts, and their effects. */
export const SHORTCUTS = [
  ['⌘ K', 'searches chats, messages, branches and actions'],
  ['/', 'searches messages'],
  ['⌘ P', 'prints the page, or the whole thread'],
  ['Enter', 'sends the message'],
  ['Shift Enter', 'starts a new line'],
  ['F6', 'moves the focus to the notifications'],
  ['?', 'shows these shortcuts'],
] as const;

/** Those of the graph. */
export const GRAPH_KEYS = [
  ['↑', 'to the message above'],
  ['↓', 'to the message below'],
  ['← →', 'to the other versions'],
  ['Enter', 'opens the thread at this message'],
  ['Space', 'collapses and expands the branch'],
  ['+ −', 'zoom in and out'],
  ['0', 'shows the whole graph'],
  ['/', 'searches'],
  ['?', 'shows and hides these keys'],
] as const;

/** The name of a shortcut on this machine. */
export function shortcutName(keys: string): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? keys : keys.replace('⌘', 'Ctrl ').replace('  ', ' ').trim();
}
