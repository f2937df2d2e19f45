/** The forms of schemas, and the sums over messages, that features add. Programs that open a database import it. It loads no other part of them. */
import { messageSums } from '../conversation/saving/message-digest.js';
import { setSchemaForms } from '../database/connection/schema-form.js';
import { citusForm } from './distribution/form.js';
import { usageSums } from './usage/message-usage.js';

setSchemaForms([citusForm]);
Object.assign(messageSums, usageSums);
