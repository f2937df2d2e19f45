import { invalid } from '../errors.js';
import { Section, type FragmentNode } from '../fragments/fragment-tree.js';

/** What a format has no way to write, not even as a reference. */
export interface UnwritableCharacters {
  /** For the error, such as XML 1.0. */
  format: string;
  /** Finds the first of them; neither global nor sticky. */
  characters: RegExp;
}

/**
 * Refuses names and texts that a format cannot hold.
 * @throws ContextError that names the fragment, the place in it (names, and positions in lists) and the character
 */
export function refuseUnwritable(section: Section, unwritable: UnwritableCharacters): void {
  for (const { name, values } of section.entries) {
    const check = (text: string, place: string) => {
      const character = unwritable.characters.exec(text)?.[0];
      if (character === undefined) return;
      throw invalid(
        `Fragment "${name}": ${place} has ${codeOf(character)}, which ${unwritable.format} cannot hold`,
        place,
      );
    };
    checkEntry(name, values, '', check);
  }
}

type Check = (text: string, place: string) => void;

function checkEntry(name: string, values: readonly FragmentNode[], parent: string, check: Check): void {
  const place = parent === '' ? name : `${parent}.${name}`;
  check(name, place);
  const [only] = values;
  if (values.length === 1 && only !== undefined) checkNode(only, place, check);
  else checkList(values, place, check);
}

function checkNode(node: FragmentNode, place: string, check: Check): void {
  if (typeof node === 'string') check(node, place);
  else if (Array.isArray(node)) checkList(node, place, check);
  else if (node instanceof Section) for (const { name, values } of node.entries) checkEntry(name, values, place, check);
}

function checkList(nodes: readonly FragmentNode[], place: string, check: Check): void {
  for (const [index, node] of nodes.entries()) checkNode(node, `${place}.${index}`, check);
}

/** A character as U+001B. */
function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
