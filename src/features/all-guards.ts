/** What features do where no server opens the database, without settings: a line each. It loads no other part of them. */
import type { Connection } from '../database/connection/connection.js';
import type { OpenFeature } from '../feature.js';
import './all-forms.js';
import { contextDeletion } from './deletion/context-deletion.js';
import { draftsWithoutServer } from './drafts/open-drafts.js';
import { fileChanges } from './files/file-changes.js';
import { fileService } from './files/open-files.js';
import { holdGuard } from './retention/legal-holds.js';
import { countUsage } from './usage/monthly-usage.js';

export { fileService };

const all: readonly ((connection: Connection) => OpenFeature)[] = [
  contextDeletion,
  draftsWithoutServer,
  fileChanges,
  holdGuard,
  countUsage,
];

export function guardsOf(connection: Connection): OpenFeature[] {
  return all.map((guard) => guard(connection));
}
