/** Renders fragments as the text of a system prompt. */
import type { ContextFragment } from '../fragments/fragment.js';
import {
  readFragments,
  type ReadOptions,
  type Section,
  type UnwritableCharacters,
} from '../fragments/fragment-tree.js';

/**
 * Base of the renderers: checks fragments, omits empty values, and combines siblings of one name at the position of the
 * first. Each format writes the result.
 */
export abstract class ContextRenderer {
  /**
   * Characters that the format cannot represent: a text with one is refused.
   * @default none
   */
  protected readonly unwritable?: UnwritableCharacters;

  /**
   * Writes fragments as one text; '' for none.
   * @throws ContextError that names the fragment, the position and the reason, see readFragments
   */
  render(fragments: readonly ContextFragment[], options: Omit<ReadOptions, 'unwritable'> = {}): string {
    const section = readFragments(fragments, { ...options, unwritable: this.unwritable });
    return section.entries.length === 0 ? '' : this.write(section);
  }

  /** Writes a section with at least one entry, without a line break at the end. */
  protected abstract write(section: Section): string;
}
