import { Section, type Entry, type FragmentNode } from '../fragments/fragment-tree.js';

/** JSON without null: the values that TOML and TOON are written from. */
export type PlainValue = string | number | boolean | PlainValue[] | { [name: string]: PlainValue };

/**
 * A section as a plain object: an entry with one value has that value, one with several an array. JavaScript orders
 * names that are whole numbers, such as "2", before all others.
 */
export function plainSection(section: Section): { [name: string]: PlainValue } {
  // fromEntries defines members, also one named __proto__.
  return Object.fromEntries(section.entries.map((entry) => [entry.name, plainEntry(entry)]));
}

function plainEntry({ values }: Entry): PlainValue {
  const [only] = values;
  return values.length === 1 && only !== undefined ? plainValue(only) : values.map(plainValue);
}

function plainValue(node: FragmentNode): PlainValue {
  if (node instanceof Section) return plainSection(node);
  return Array.isArray(node) ? node.map(plainValue) : node;
}
