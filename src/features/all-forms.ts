/**
 * What features add to the opening of databases: a line each. Programs that open a database import it. It loads no other
 * part of them.
 */
import { setSchemaForms } from '../database/connection/schema-form.js';
import { setMigrator } from '../database/opening/migrator.js';
import { citusForm } from './distribution/form.js';

setMigrator(() => import('./migrations/migrator.js'));
setSchemaForms([citusForm]);
