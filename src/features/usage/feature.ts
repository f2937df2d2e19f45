/** The tokens that messages state, by chat, by path, and by user and month: see docs/operations.md. */
import type { Feature } from '../../feature.js';
import './graphql.js';
import { copyUsage, countUsage } from './monthly-usage.js';

export const usage: Feature = { copy: copyUsage, open: countUsage };
