/** What features do with changes where no server opens the database, without settings: a line each. It loads no other part of them. */
import type { ChangeHooks } from '../database/change-hooks.js';
import type { Connection } from '../database/connection/connection.js';
import './all-forms.js';
import { fileChanges } from './files/file-changes.js';
import { fileService } from './files/open-files.js';
import { holdGuard } from './retention/legal-holds.js';

export { fileService };

const all: readonly ((connection: Connection) => ChangeHooks)[] = [fileChanges, holdGuard];

export function guardsOf(connection: Connection): ChangeHooks[] {
  return all.map((guard) => guard(connection));
}
