/** Changes of samples that real files have: another order, repeated ids, missing parents, a missing end, two files in one. */
import type { Choices } from '../cost/choices.js';
import type { MarkedSample } from './marked-sample.js';

export interface ChangedFile {
  readonly names: readonly string[];
  readonly change: Change;
  readonly bytes: Buffer;
}

const CHANGES = ['none', 'order', 'ids', 'parents', 'end', 'merge', 'encoding'] as const;
type Change = (typeof CHANGES)[number];

const IDS = /^(id|uuid|message_?id|messageUuid)$/i;
const PARENTS = /parent/i;

export function changed(samples: readonly MarkedSample[], choices: Choices): ChangedFile {
  const sample = choices.pick(samples);
  const change = choices.pick(CHANGES);
  const { name } = sample;
  const values = structuredClone(sample.values) as unknown[];
  switch (change) {
    case 'order':
      for (const n of values.keys()) swap(values, n, choices.below(values.length));
      break;
    case 'ids': {
      const owners = objectsWith(values, IDS);
      const [from, to] = [owners[choices.below(owners.length || 1)], owners[choices.below(owners.length || 1)]];
      if (from !== undefined && to !== undefined && from.key === to.key) to.object[to.key] = from.object[from.key];
      break;
    }
    case 'parents': {
      const children = objectsWith(values, PARENTS);
      const child = children[choices.below(children.length || 1)];
      if (child !== undefined) {
        if (choices.below(2) === 0) delete child.object[child.key];
        else if (typeof child.object[child.key] === 'string') child.object[child.key] = 'never-written';
      }
      break;
    }
    case 'end': {
      const bytes = bytesOf(sample, values);
      return { names: [name], change, bytes: bytes.subarray(0, choices.below(bytes.length) + 1) };
    }
    case 'merge': {
      const others = samples.filter(
        (each) => each.isLines === sample.isLines && each.isArray === sample.isArray && each !== sample,
      );
      const other = sample.isArray && others.length > 0 ? choices.pick(others) : null;
      if (other === null) break;
      return {
        names: [name, other.name],
        change,
        bytes: bytesOf(sample, [...values, ...structuredClone(other.values)]),
      };
    }
    case 'encoding': {
      const text = bytesOf(sample, values).toString();
      return {
        names: [name],
        change,
        bytes: Buffer.from(`\ufeff${text}`, choices.below(2) === 0 ? 'utf16le' : 'utf8'),
      };
    }
    default:
  }
  return { names: [name], change, bytes: bytesOf(sample, values) };
}

function swap(values: unknown[], one: number, other: number): void {
  [values[one], values[other]] = [values[other], values[one]];
}

function bytesOf({ isLines, isArray }: MarkedSample, values: readonly unknown[]): Buffer {
  if (isLines) return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  return Buffer.from(JSON.stringify(isArray ? values : values[0]));
}

interface Member {
  readonly object: Record<string, unknown>;
  readonly key: string;
}

/** The members of all objects with such a name and a text. */
function objectsWith(value: unknown, names: RegExp): Member[] {
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Record<string, unknown>;
  const own = Array.isArray(value)
    ? []
    : Object.keys(object).filter((key) => names.test(key) && typeof object[key] === 'string');
  return [
    ...own.map((key) => ({ object, key })),
    ...Object.values(object).flatMap((member) => objectsWith(member, names)),
  ];
}
