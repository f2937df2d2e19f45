import { encode } from '@toon-format/toon';
import type { Section } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';
import { plainSection } from './plain-value.js';

/** Writes fragments as TOON: records with the same fields become a table with one head. */
export class ToonRenderer extends ContextRenderer {
  protected write(section: Section): string {
    return encode(plainSection(section));
  }
}
