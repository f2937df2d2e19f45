/** What features do without settings where no server opens the database: a line each. It loads no other part of them. */
import type { Connection } from '../database/connection/connection.js';
import type { OpenFeature } from '../feature.js';
import './all-forms.js';
import { draftsWithoutServer } from './drafts/open-drafts.js';
import { holdGuard } from './retention/legal-holds.js';

const all: readonly ((connection: Connection) => OpenFeature)[] = [draftsWithoutServer, holdGuard];

export function guardsOf(connection: Connection): OpenFeature[] {
  return all.map((guard) => guard(connection));
}
