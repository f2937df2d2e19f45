/** Vitest's setup file of tests on the distributed form. */
import { beforeAll, beforeEach } from 'vitest';
import { prepareSchemas } from '../temporary-database.js';

beforeAll(prepareSchemas);
beforeEach(prepareSchemas);
