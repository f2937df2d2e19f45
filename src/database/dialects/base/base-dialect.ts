/** All statements in their shared form. Each database overrides a few. */
import type { Differences } from '../differences.js';
import { branchStatements } from './branches.js';
import { changeStatements } from './changes.js';
import { chatStatements } from './chats.js';
import { copyStatements } from './copies.js';
import { fragmentsOf } from './fragments.js';
import { logStatements } from './log.js';
import { messageStatements } from './messages.js';
import { partStatements } from './parts.js';
import { pathStatements } from './paths.js';
import { removalStatements } from './removal.js';
import { sourceStatements } from './sources.js';

export function baseDialect(differences: Differences) {
  const fragments = fragmentsOf(differences);
  return {
    /** For the statements of features. */
    differences,
    ...chatStatements(differences, fragments),
    ...messageStatements(differences, fragments),
    ...pathStatements(differences, fragments),
    ...sourceStatements(differences, fragments),
    ...branchStatements(differences, fragments),
    ...logStatements(differences, fragments),
    ...changeStatements(differences, fragments),
    ...partStatements(differences),
    ...removalStatements(differences),
    ...copyStatements(differences),
  };
}
