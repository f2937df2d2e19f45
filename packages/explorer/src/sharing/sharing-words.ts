import type { ChatRole } from '@parley/client';

/** The texts of sharing and forking. */
export const sharingWords = {
  share: 'Share',
  shareFromHere: 'Share up to here',
  forkChat: 'Fork chat',
  forkHere: 'Fork from here',
  links: 'Links',
  linkHint: 'A link shows the messages up to the newest one as they are now, without sign-in.',
  linkHintAt: 'A link shows the messages up to the chosen one as they are now, without sign-in.',
  title: 'Title that readers see',
  expiry: 'Expires',
  expiries: [
    { days: null, label: 'Never' },
    { days: 1, label: 'After a day' },
    { days: 7, label: 'After a week' },
    { days: 30, label: 'After 30 days' },
  ],
  includeReasoning: 'Include reasoning',
  includeTools: 'Include tool calls',
  createLink: 'Create link',
  newLink: 'New link',
  shownOnce: 'Copy the link now: it is shown only once.',
  untitledLink: 'Link',
  upTo: (preview: string): string => `up to “${preview}”`,
  expiresAt: (time: string): string => `expires ${time}`,
  created: (time: string): string => `created ${time}`,
  revoke: 'Revoke',
  people: 'People',
  userId: 'Id of the user',
  role: 'Role',
  roleOf: (userId: string): string => `Role of ${userId}`,
  roles: { READER: 'Reader', COMMENTER: 'Commenter', WRITER: 'Writer', OWNER: 'Owner' } satisfies Record<
    ChatRole,
    string
  >,
  add: 'Add',
  remove: 'Remove',
  removeMember: (userId: string): string => `Remove ${userId}`,
  leave: 'Leave chat',
  includeShared: 'Include chats that others share with me',
} as const;
