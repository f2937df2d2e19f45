/**
 * Fragments as renderers see them: checked, without what says nothing, and with siblings of one name put together where the
 * first of them stands.
 */
import { invalid } from '../errors.js';
import { isFragment, type ContextFragment } from './fragment.js';

/** A text or a value, a list, or a section of named entries. */
export type FragmentNode = string | number | boolean | FragmentNode[] | Section;

/** Named entries, in order, each name once. */
export class Section {
  constructor(readonly entries: readonly Entry[]) {}
}

export interface Entry {
  name: string;
  /** One; of siblings with the same name, one each. */
  values: FragmentNode[];
}

/** How deep fragments, arrays and objects may stand in one another. */
export const MAX_FRAGMENT_DEPTH = 64;

/** What a format has no way to write, not even as a reference. */
export interface UnwritableCharacters {
  /** For the error, such as XML 1.0. */
  format: string;
  /** Finds the first of them; neither global nor sticky. */
  characters: RegExp;
}

/**
 * Reads fragments.
 * @param path where they stand in what was given, for errors; '' when they are all of it
 * @throws ContextError that names the fragment, the place and the reason: no name, data that is cyclic, too deep, or not
 *   JSON, a character that cannot be written
 */
export function readFragments(
  fragments: readonly ContextFragment[],
  path = '',
  unwritable?: UnwritableCharacters,
): Section {
  return group(fragments.map((each, index) => readFragment(each, at(path, index), unwritable)));
}

/** Reads one fragment, as readFragments does; null for one that says nothing. */
export function readFragment(fragment: ContextFragment, path: string, unwritable?: UnwritableCharacters): Entry | null {
  if (!isFragment(fragment) || fragment.name === '') {
    throw invalid(`Fragment ${path}: it must have data and a name that is not empty`, path);
  }
  return new Reader(fragment.name, unwritable).fragment(fragment, path, 1);
}

/** Reads one fragment with all that is in it. */
class Reader {
  /** What the place that is read stands in. */
  readonly #open = new Set<object>();

  constructor(
    private readonly topName: string,
    private readonly unwritable: UnwritableCharacters | undefined,
  ) {}

  fragment(fragment: ContextFragment, path: string, depth: number): Entry | null {
    if (fragment.name === '') throw this.#fault(path, 'has no name');
    if (depth > MAX_FRAGMENT_DEPTH) throw this.#fault(path, `is nested deeper than ${MAX_FRAGMENT_DEPTH} levels`);
    this.#checkText(fragment.name, `${path}.name`);
    return this.#inside(fragment, path, () => {
      const value = this.#node(fragment.data, `${path}.data`, depth);
      return value === null ? null : { name: fragment.name, values: [value] };
    });
  }

  /** null for what says nothing. */
  #node(data: unknown, path: string, depth: number): FragmentNode | null {
    if (data == null) return null;
    switch (typeof data) {
      case 'string':
        this.#checkText(data, path);
        return data;
      case 'boolean':
        return data;
      case 'number':
        if (!Number.isFinite(data)) throw this.#fault(path, `is ${data}, which is not a number that can be written`);
        // No text tells -0 from 0.
        return data === 0 ? 0 : data;
      case 'object':
        if (depth > MAX_FRAGMENT_DEPTH) throw this.#fault(path, `is nested deeper than ${MAX_FRAGMENT_DEPTH} levels`);
        if (isFragment(data)) return this.#single(data, path, depth);
        return this.#inside(data, path, () => this.#container(data, path, depth));
      default:
        throw this.#fault(path, `is a ${typeof data}, which cannot be written as text`);
    }
  }

  /** A fragment where a value stands: a section of its own. */
  #single(fragment: ContextFragment, path: string, depth: number): Section | null {
    const entry = this.fragment(fragment, path, depth + 1);
    return entry === null ? null : new Section([entry]);
  }

  #container(data: object, path: string, depth: number): FragmentNode {
    if (Array.isArray(data)) return this.#array(data, path, depth);
    const prototype: unknown = Object.getPrototypeOf(data);
    if (prototype !== null && prototype !== Object.prototype) {
      throw this.#fault(path, `is a ${className(data)}: only plain objects and arrays can be written as text`);
    }
    const entries = Object.entries(data).flatMap(([name, value]) => {
      this.#checkText(name, path);
      const node = this.#node(value, `${path}.${name}`, depth + 1);
      return node === null ? [] : [{ name, values: [node] }];
    });
    return new Section(entries);
  }

  #array(items: unknown[], path: string, depth: number): FragmentNode {
    const said = [...items.entries()].filter(([, item]) => item != null);
    if (said.length > 0 && said.every(([, item]) => isFragment(item))) {
      return group(said.map(([index, item]) => this.fragment(item as ContextFragment, at(path, index), depth + 1)));
    }
    return said.flatMap(([index, item]) => {
      const node = this.#node(item, at(path, index), depth + 1);
      // In an array of its own, for flatMap takes one level off what is an array itself.
      return node === null ? [] : [node];
    });
  }

  #inside<T>(container: object, path: string, read: () => T): T {
    if (this.#open.has(container)) throw this.#fault(path, 'is cyclic: it stands in itself');
    this.#open.add(container);
    const result = read();
    this.#open.delete(container);
    return result;
  }

  #checkText(text: string, path: string): void {
    if (!text.isWellFormed()) throw this.#fault(path, 'has a lone surrogate, which no text can hold');
    if (this.unwritable === undefined) return;
    const { format, characters } = this.unwritable;
    const [character] = characters.exec(text) ?? [];
    if (character !== undefined) throw this.#fault(path, `has ${codeOf(character)}, which ${format} cannot hold`);
  }

  #fault(path: string, reason: string) {
    return invalid(`Fragment "${this.topName}": ${path} ${reason}`, path);
  }
}

/** What has a prototype of its own need not have a constructor. */
function className({ constructor }: { constructor?: unknown }): string {
  return typeof constructor === 'function' ? constructor.name : 'value with a prototype of its own';
}

/** A character as U+001B. */
function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Puts entries of one name together. */
function group(entries: readonly (Entry | null)[]): Section {
  const byName = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry === null) continue;
    const sibling = byName.get(entry.name);
    if (sibling === undefined) byName.set(entry.name, entry);
    else sibling.values.push(...entry.values);
  }
  return new Section([...byName.values()]);
}

function at(path: string, index: number): string {
  return path === '' ? String(index) : `${path}.${index}`;
}
