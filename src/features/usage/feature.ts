/** The tokens that messages state, by chat, by path, and by user and month: see docs/operations.md. */
import type { Feature } from '../../feature.js';
import { copyUsage } from './copy-usage.js';
import './graphql.js';
import { usageSums } from './usage-sums.js';

export const usage: Feature = { copy: copyUsage, open: usageSums };
