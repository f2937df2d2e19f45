import { stringify } from 'smol-toml';
import type { Section } from '../fragments/fragment-tree.js';
import { ContextRenderer } from './context-renderer.js';
import { plainSection } from './plain-value.js';

/**
 * Writes fragments as TOML 1.0: texts, values and lists as `name = value`, sections as tables, several sections of one name
 * as an array of tables.
 *
 * In TOML what stands behind the head of a table belongs to that table. So within a section, and at the top, texts,
 * values and lists come before sections.
 */
export class TomlRenderer extends ContextRenderer {
  protected write(section: Section): string {
    return stringify(plainSection(section)).replace(/\n$/, '');
  }
}
