/**
 * The expected content of fragments, computed without the library: each renderer's output must be read back as this.
 */
import type { ContextFragment, FragmentData } from '../../src/fragments/fragment.js';

export type Expected = string | number | boolean | Expected[] | ExpectedSection;

/** Each name with its values: one per sibling. */
export class ExpectedSection {
  constructor(readonly entries: [name: string, values: Expected[]][]) {}
}

/** Removes empty fragments, and merges siblings of one name at the first position. */
export function expectedSection(fragments: readonly ContextFragment[]): ExpectedSection {
  const byName = new Map<string, Expected[]>();
  for (const { name, data } of fragments) {
    for (const value of expectedValues(data)) byName.set(name, [...(byName.get(name) ?? []), value]);
  }
  return new ExpectedSection([...byName]);
}

/** One value or none. */
function expectedValues(data: FragmentData): Expected[] {
  if (data == null) return [];
  if (typeof data !== 'object') return [Object.is(data, -0) ? 0 : data];
  if (Array.isArray(data)) {
    const items = data.filter((item) => item != null);
    if (items.length > 0 && items.every(isFragment)) return [expectedSection(items)];
    return [items.flatMap((item) => expectedValues(item))];
  }
  if (isFragment(data)) return expectedSection([data]).entries.length === 0 ? [] : [expectedSection([data])];
  return [new ExpectedSection(Object.entries(data).flatMap(([name, value]) => expectedEntries(name, value)))];
}

function expectedEntries(name: string, data: FragmentData): [name: string, values: Expected[]][] {
  const values = expectedValues(data);
  return values.length === 0 ? [] : [[name, values]];
}

function isFragment(data: FragmentData): data is ContextFragment {
  return typeof data === 'object' && data !== null && 'data' in data && typeof data.name === 'string';
}

/** The form of TOML and TOON: several values of one name are an array. */
export function asPlain(expected: Expected): unknown {
  if (Array.isArray(expected)) return expected.map(asPlain);
  if (!(expected instanceof ExpectedSection)) return expected;
  return Object.fromEntries(expected.entries.map(([name, values]) => [name, asPlain(onlyOf(values))]));
}

/** Replaces several values of one name in formats without a syntax for them. */
export function onlyOf(values: Expected[]): Expected {
  return values.length === 1 ? values[0]! : values;
}
