/**
 * Fragments as renderers receive them: checked, without empty values, and with siblings of one name combined at the
 * position of the first.
 */
import { invalid } from '../errors.js';
import { isFragment, isMessageFragment, type ContextFragment } from './fragment.js';

/** A text or a value, a list, or a section of named entries. */
export type FragmentNode = string | number | boolean | FragmentNode[] | Section;

/** Named entries, in order, each name once. */
export class Section {
  constructor(readonly entries: readonly Entry[]) {}
}

export interface Entry {
  name: string;
  /** One value; several for combined siblings. */
  values: FragmentNode[];
}

/** Nested levels of fragments, arrays and objects. */
export const MAX_FRAGMENT_DEPTH = 64;

/** Characters that a format cannot represent, not even as a reference. */
export interface UnwritableCharacters {
  /** The format in the error, such as XML 1.0. */
  format: string;
  /** Matches such a character; neither global nor sticky. */
  characters: RegExp;
}

/** The approximate length of rendered fragments, in characters. */
const MAX_LENGTH = 64 * 1024 * 1024;

export interface ReadOptions {
  /**
   * The position of the fragments, for errors.
   * @default ''
   */
  path?: string;
  /** @default none */
  unwritable?: UnwritableCharacters | undefined;
  /**
   * The approximate length of the rendered fragments, in characters.
   * @default 67108864
   */
  maxLength?: number;
}

/**
 * Reads fragments.
 * @throws ContextError that names the fragment, the position and the reason: no name, data that is cyclic, too deep,
 * too large, or not JSON, an unsupported character
 */
export function readFragments(fragments: readonly ContextFragment[], options: ReadOptions = {}): Section {
  const { path = '', unwritable, maxLength = MAX_LENGTH } = options;
  const budget = { maxLength, left: maxLength };
  return group(fragments.map((fragment, index) => readFragment(fragment, at(path, index), budget, unwritable)));
}

/** Checks one fragment, as readFragments does. */
export function checkFragment(fragment: ContextFragment, path: string): void {
  readFragment(fragment, path, { maxLength: MAX_LENGTH, left: MAX_LENGTH }, undefined);
}

function readFragment(
  fragment: ContextFragment,
  path: string,
  budget: OutputBudget,
  unwritable: UnwritableCharacters | undefined,
): Entry | null {
  if (!isFragment(fragment) || fragment.name === '') {
    throw invalid(`Fragment ${path}${describe(fragment)}: it must have data and a name that is not empty`, path);
  }
  return new Reader(fragment.name, budget, unwritable).fragment(fragment, path, 1);
}

/** The remaining length. */
interface OutputBudget {
  readonly maxLength: number;
  left: number;
}

/** The length of a level besides its name: indentation, brackets. */
const LEVEL_LENGTH = 4;
/** The length of a value besides its text: its line, and the work to write it. */
const VALUE_LENGTH = 32;

/** Reads one fragment and its contents. */
class Reader {
  /** The objects around the current value, to detect cycles. */
  readonly #open = new Set<object>();
  /** The length of the names around the current value: formats repeat or indent by them. */
  #reach = 0;

  constructor(
    private readonly topName: string,
    private readonly budget: OutputBudget,
    private readonly unwritable: UnwritableCharacters | undefined,
  ) {}

  fragment(fragment: ContextFragment, path: string, depth: number): Entry | null {
    const { name } = fragment;
    if (name === '') throw this.#fault(path, 'has no name');
    if (depth > MAX_FRAGMENT_DEPTH) throw this.#fault(path, `is nested deeper than ${MAX_FRAGMENT_DEPTH} levels`);
    this.#checkText(name, `${path}.name`);
    // Rendering would ignore it, and the fragment was meant as a message.
    if (!isMessageFragment(fragment) && typeof fragment.codec?.decode === 'function') {
      throw this.#fault(path, "has a codec, which only fragments of the type 'message' use");
    }
    const value = this.#inside(fragment, path, () => this.#named(name, fragment.data, `${path}.data`, depth));
    return value === null ? null : { name, values: [value] };
  }

  #named(name: string, data: unknown, path: string, depth: number): FragmentNode | null {
    this.#reach += name.length + LEVEL_LENGTH;
    const node = this.#node(data, path, depth);
    this.#reach -= name.length + LEVEL_LENGTH;
    return node;
  }

  /** null for an empty value. */
  #node(data: unknown, path: string, depth: number): FragmentNode | null {
    if (data == null) return null;
    this.#take(VALUE_LENGTH, path);
    switch (typeof data) {
      case 'string':
        this.#checkText(data, path);
        this.#take(data.length + linesOf(data) * depth * LEVEL_LENGTH, path);
        return data;
      case 'boolean':
        return data;
      case 'number':
        if (!Number.isFinite(data)) throw this.#fault(path, `is ${data}, which is not a number that can be written`);
        // No text distinguishes -0 from 0.
        return data === 0 ? 0 : data;
      case 'object':
        if (depth > MAX_FRAGMENT_DEPTH) throw this.#fault(path, `is nested deeper than ${MAX_FRAGMENT_DEPTH} levels`);
        if (isFragment(data)) return this.#single(data, path, depth);
        return this.#inside(data, path, () => this.#container(data, path, depth));
      default:
        throw this.#fault(path, `is a ${typeof data}, which cannot be written as text`);
    }
  }

  /** A fragment in place of a value is a separate section. */
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
      const node = this.#named(name, value, `${path}.${name}`, depth + 1);
      return node === null ? [] : [{ name, values: [node] }];
    });
    return new Section(entries);
  }

  #array(items: unknown[], path: string, depth: number): FragmentNode {
    const given = [...items.entries()].filter(([, item]) => item != null);
    if (given.length > 0 && given.every(([, item]) => isFragment(item))) {
      return group(given.map(([index, item]) => this.fragment(item as ContextFragment, at(path, index), depth + 1)));
    }
    return given.flatMap(([index, item]) => {
      const node = this.#named('', item, at(path, index), depth + 1);
      // In an array, because flatMap flattens a list by one level.
      return node === null ? [] : [node];
    });
  }

  #take(length: number, path: string): void {
    this.budget.left -= this.#reach + length;
    if (this.budget.left >= 0) return;
    const { maxLength } = this.budget;
    throw this.#fault(path, `is too much: written out, the fragments may have ${maxLength} characters`);
  }

  #inside<T>(container: object, path: string, read: () => T): T {
    if (this.#open.has(container)) throw this.#fault(path, 'is cyclic: it contains itself');
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

/** Arguments are unchecked when called from JavaScript. */
function describe(value: unknown): string {
  if (value == null) return ` is ${String(value)}`;
  if (Array.isArray(value)) return ' is an array: pass its elements one by one';
  return typeof value === 'object' ? '' : ` is a ${typeof value}`;
}

function linesOf(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** An object with a custom prototype can lack a constructor. */
function className({ constructor }: { constructor?: unknown }): string {
  return typeof constructor === 'function' ? constructor.name : 'value with a prototype of its own';
}

/** A character in the form U+001B. */
function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Combines entries of one name. */
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
