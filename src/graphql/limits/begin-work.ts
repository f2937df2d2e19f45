import type { Viewer } from '../../conversation/model.js';
import type { ContentBudget } from '../../limits/content-budget.js';
import { answerTurns } from '../../scheduler/work-turns.js';

/** The operation that the work is done for. */
interface Working {
  readonly viewer: Viewer;
  content?: Pick<ContentBudget, 'isOver'>;
}

/**
 * Waits until a part of an answer may be made.
 * @param units its size: see WorkTurns
 * @returns null when it may at once; never settles after the end of the operation
 */
export function beginWork(units: number, { content, viewer }: Working): Promise<void> | null {
  return answerTurns.begin(viewer.userId, units, content);
}

/** Characters of JSON that are written, or parsed and written, with a unit of work. */
const CHARACTERS_PER_UNIT = 256;

/** Values of a list, such as chunks of a draft, that are a unit of work. */
export const VALUES_PER_UNIT = 20;

/** Waits until so many values of a list may be copied or completed. */
export function beginValues(count: number, operation: Working): Promise<void> | null {
  return beginWork(count / VALUES_PER_UNIT, operation);
}

/** Waits until so many characters more may be written. */
export function beginWriting(characters: number, operation: Working): Promise<void> | null {
  return beginWork(characters / CHARACTERS_PER_UNIT, operation);
}
