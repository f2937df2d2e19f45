/** Drafts on two servers that notify each other through one PostgreSQL. */
import { it } from 'vitest';
import { isThorough } from '../../../support/effort.js';
import { startOwnPostgresql } from '../../../support/database/own-postgresql.js';
import { breakPostgresqlBus } from '../../../live/faults/faults.js';
import { expectDraftsToSurvive, FEW, MANY, SWEEPS } from './two-servers.js';

it('every follower of a draft receives every chunk once and in order during faults, on one PostgreSQL', async () => {
  const { url } = await startOwnPostgresql();
  await expectDraftsToSurvive({ DATABASE_URL: url, ...SWEEPS }, breakPostgresqlBus(url), isThorough ? MANY : FEW);
});
