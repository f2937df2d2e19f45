/** The forms of schemas that features add: a line each. Programs that open a database import it. It loads no other part of them. */
import { setSchemaForms } from '../database/connection/schema-form.js';
import { distributedForm } from './distribution/form.js';

setSchemaForms([distributedForm]);
