import { stringify } from 'smol-toml';
import type { Section } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';
import { plainSection } from './plain-value.js';

/**
 * Writes fragments as TOML 1.0: texts, values and lists as `name = value`, sections as tables, several sections of one
 * name as an array of tables. Values precede sections, because lines after the head of a table belong to it.
 */
export class TomlRenderer extends ContextRenderer {
  protected write(section: Section): string {
    return stringify(plainSection(section)).replace(/\n$/, '');
  }
}
