/** How fragments become the text of a system prompt. */
import type { ContextFragment } from '../fragments/fragment.js';
import {
  readFragments,
  type ReadOptions,
  type Section,
  type UnwritableCharacters,
} from '../fragments/fragment-tree.js';

/**
 * What the renderers have in common: fragments are checked, what says nothing is left out, and siblings of one name are put
 * together where the first stands. How that is written is each format's own.
 */
export abstract class ContextRenderer {
  /** What the format cannot hold: such a text is refused. @default nothing */
  protected readonly unwritable?: UnwritableCharacters;

  /**
   * Writes fragments as one text; '' for none.
   * @throws ContextError that names the fragment, the place and the reason, see readFragments
   */
  render(fragments: readonly ContextFragment[], options: Omit<ReadOptions, 'unwritable'> = {}): string {
    const section = readFragments(fragments, { ...options, unwritable: this.unwritable });
    return section.entries.length === 0 ? '' : this.write(section);
  }

  /** Writes what has at least one entry, without a line break at the end. */
  protected abstract write(section: Section): string;
}
