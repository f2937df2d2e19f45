/**
 * The expected content of fragments, computed without the library: each renderer's output must be read back as this.
 */
import type { ContextFragment, FragmentData } from '../../src/fragments/fragment.js';

export type Said = string | number | boolean | Said[] | SaidSection;

/** Each name with its values: one per sibling. */
export class SaidSection {
  constructor(readonly entries: [name: string, values: Said[]][]) {}
}

/** Removes empty fragments, and merges siblings of one name at the first position. */
export function saidBy(fragments: readonly ContextFragment[]): SaidSection {
  const byName = new Map<string, Said[]>();
  for (const { name, data } of fragments) {
    for (const value of saidIn(data)) byName.set(name, [...(byName.get(name) ?? []), value]);
  }
  return new SaidSection([...byName]);
}

/** One value or none. */
function saidIn(data: FragmentData): Said[] {
  if (data == null) return [];
  if (typeof data !== 'object') return [Object.is(data, -0) ? 0 : data];
  if (Array.isArray(data)) {
    const items = data.filter((item) => item != null);
    if (items.length > 0 && items.every(isFragment)) return [saidBy(items)];
    return [items.flatMap((item) => saidIn(item))];
  }
  if (isFragment(data)) return saidBy([data]).entries.length === 0 ? [] : [saidBy([data])];
  return [new SaidSection(Object.entries(data).flatMap(([name, value]) => saidAs(name, value)))];
}

function saidAs(name: string, data: FragmentData): [name: string, values: Said[]][] {
  const values = saidIn(data);
  return values.length === 0 ? [] : [[name, values]];
}

function isFragment(data: FragmentData): data is ContextFragment {
  return typeof data === 'object' && data !== null && 'data' in data && typeof data.name === 'string';
}

/** The form of TOML and TOON: several values of one name are an array. */
export function asPlain(said: Said): unknown {
  if (Array.isArray(said)) return said.map(asPlain);
  if (!(said instanceof SaidSection)) return said;
  return Object.fromEntries(said.entries.map(([name, values]) => [name, asPlain(onlyOf(values))]));
}

/** Replaces several values of one name in formats without a syntax for them. */
export function onlyOf(values: Said[]): Said {
  return values.length === 1 ? values[0]! : values;
}
