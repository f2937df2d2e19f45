/** Checks, verification of hashes, and backups of the database: `parley check`, `verify`, `backup` and `restore`. */
import type { Feature } from '../../feature.js';
import { TABLE_CHECKS } from './checking/table-checks.js';

export const maintenance: Feature = { checks: TABLE_CHECKS };
