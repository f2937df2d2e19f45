/** Vitest's setup file of tests on the distributed form. */
import { beforeAll, beforeEach } from 'vitest';
import { distribution } from '../../support/database/database-kind.js';
import { prepareSchemas } from '../../support/database/temporary-database.js';
import { completeUserChats, migrateAndDistribute } from './distributed-schema.js';

Object.assign(distribution, { migrate: migrateAndDistribute, completeUserChats });
beforeAll(prepareSchemas);
beforeEach(prepareSchemas);
