/** The forms of schemas that features add: a line each. Programs that open a database import it. It loads no other part of them. */
import { setSchemaForms } from '../database/connection/schema-form.js';
import { citusForm } from './distribution/form.js';

setSchemaForms([citusForm]);
