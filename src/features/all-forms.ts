/**
 * The parts of features that the opening of databases needs: a line each. Programs that open a database import it. It loads no other
 * part of them.
 */
import { messageSums } from '../conversation/saving/message-digest.js';
import { setSchemaForms } from '../database/connection/schema-form.js';
import { setRemovals } from '../database/removals.js';
import { setMigrator } from '../database/opening/migrator.js';
import { citusForm } from './distribution/form.js';
import { usageSums } from './usage/message-usage.js';

setMigrator(() => import('./migrations/migrator.js'));
setRemovals(() => import('./deletion/removal.js'));
setSchemaForms([citusForm]);
Object.assign(messageSums, usageSums);
