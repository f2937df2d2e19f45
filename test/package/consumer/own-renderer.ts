/** A custom format, without modules of the server. */
import { ContextRenderer, hint, Section, type FragmentNode } from 'parley/context';

class OutlineRenderer extends ContextRenderer {
  protected override write(section: Section): string {
    return section.entries.map(({ name, values }) => `${name}: ${values.map(outline).join('; ')}`).join('\n');
  }
}

function outline(node: FragmentNode): string {
  if (node instanceof Section) return node.entries.map((entry) => entry.name).join(', ');
  return Array.isArray(node) ? node.map(outline).join(', ') : String(node);
}

export const text: string = new OutlineRenderer().render([hint('Be brief.')]);
