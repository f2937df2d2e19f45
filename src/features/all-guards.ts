/** The parts of features in a database that no server opens, without settings: a line each. No other part of them is loaded. */
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
