/** The commands of all features, a line each: `npm run test:without` removes lines. It loads no other part of features. */
import type { CommandEntry } from '../command/command.js';

const entry = (summary: string, load: CommandEntry['load']): CommandEntry => ({ summary, load });

export const featureCommands: Readonly<Record<string, CommandEntry>> = {
  copy: entry('copy all chats of a database into another', () => import('./copies/command.js')),
  'erase-user': entry('erase a user from the database', () => import('./deletion/erase-command.js')),
  demo: entry('write the demo conversation', () => import('./demo/command.js')),
  export: entry('export chats', () => import('./exports/command.js')),
  import: entry('import an export of another system or of Parley', () => import('./imports/command.js')),
  check: entry('verify the database', () => import('./maintenance/check-command.js')),
  verify: entry('verify the hashes of all messages', () => import('./maintenance/verify-command.js')),
  backup: entry('back up the database and its files', () => import('./maintenance/backup-command.js')),
  restore: entry('restore a backup into an empty database', () => import('./maintenance/restore-command.js')),
  transfer: entry('transfer all chats of a user to another', () => import('./members/command.js')),
  migrate: entry('bring the database up to date', () => import('./migrations/migrate-command.js')),
  retention: entry('delete the chats whose retention has ended, or list them', () => import('./retention/command.js')),
  token: entry('print a token for trials', () => import('./signed-tokens/token-command.js')),
  usage: entry('print the tokens of users by month as CSV', () => import('./usage/command.js')),
};
