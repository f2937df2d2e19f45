/** Changes of samples that real files have: another order, repeated ids, missing parents, a missing end, two files in one. */
import { encodedAs } from '../../features/imports/readers/variations/encoded-text.js';
import type { Choices } from '../cost/choices.js';
import { asCopy, inAscii, type MarkedSample } from './marked-sample.js';
import { namesChat } from './source-texts.js';

export interface ChangedFile {
  readonly names: readonly string[];
  readonly change: Change;
  /** The values of the file before its end is cut. */
  readonly values: readonly unknown[];
  readonly bytes: Buffer;
  /** The text of the bytes. */
  readonly text: string;
  /** A text that the file contains exactly once, and that must be read unchanged. */
  readonly sentence?: string;
}

const CHANGES = ['none', 'order', 'ids', 'parents', 'end', 'merge', 'copy', 'encoding', 'mark'] as const;
type Change = (typeof CHANGES)[number];

const IDS = /^(id|uuid|message_?id|messageUuid)$/i;
const PARENTS = /parent/i;
/** Texts of other scripts, in the encodings that programs write. */
const SENTENCES = [
  [
    'windows-1252',
    'Les élèves ont étudié la forêt près du château, où les chênes sont là, à côté du pré, derrière l’allée.',
  ],
  [
    'windows-1251',
    'Сколько берёз растёт в саду? Вчера я насчитал девять, но сегодня уже не уверен. Может быть, дубы тоже посчитать?',
  ],
  ['shift_jis', '庭に白樺は何本ありますか。昨日数えたら九本でしたが、表の木は数えていません。'],
  ['gb18030', '花园里有多少棵白桦树？昨天我数了九棵，但是今天不太确定，请再数一次。'],
] as const;

export function changed(samples: readonly MarkedSample[], choices: Choices): ChangedFile {
  const sample = choices.pick(samples);
  const change = choices.pick(CHANGES);
  const { name } = sample;
  const values = structuredClone(sample.values) as unknown[];
  const file = (all: readonly unknown[], names = [name]): ChangedFile => {
    const text = textOf(sample, all);
    return { names, change, values: all, bytes: Buffer.from(text), text };
  };
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
      const whole = file(values);
      const bytes = whole.bytes.subarray(0, choices.below(whole.bytes.length) + 1);
      return { ...whole, bytes, text: bytes.toString() };
    }
    case 'merge': {
      const others = samples.filter(
        (each) => each.isLines === sample.isLines && each.isArray === sample.isArray && each !== sample,
      );
      const other = sample.isArray && others.length > 0 ? choices.pick(others) : null;
      if (other === null) break;
      return file([...values, ...asCopy(other, samples.length)], [name, other.name]);
    }
    case 'copy':
      // Other conversations of the same format, with other ids.
      if (!sample.isArray) break;
      return file(mixed(values, asCopy(sample, samples.length), choices), [name, `copy of ${name}`]);
    case 'encoding': {
      const [encoding, sentence] = choices.pick(SENTENCES);
      const text = inAscii(textOf(sample, values), ` ${sentence}`);
      return { ...file(values), bytes: encodedAs(encoding, text), text, sentence };
    }
    case 'mark': {
      const whole = file(values);
      return { ...whole, bytes: Buffer.from(`\ufeff${whole.text}`, choices.below(2) === 0 ? 'utf16le' : 'utf8') };
    }
    default:
  }
  return file(values);
}

/** Both lists, one after the other or with their elements in turn, each in its order. */
function mixed(one: readonly unknown[], other: readonly unknown[], choices: Choices): unknown[] {
  // Lines without the id of their chat belong to the chat before them.
  const isInTurn = choices.below(2) === 0 && one.every(namesChat);
  return isInTurn ? one.flatMap((value, n) => [value, ...other.slice(n, n + 1)]) : [...one, ...other];
}

function swap(values: unknown[], one: number, other: number): void {
  [values[one], values[other]] = [values[other], values[one]];
}

function textOf({ isLines, isArray }: MarkedSample, values: readonly unknown[]): string {
  if (isLines) return values.map((value) => `${JSON.stringify(value)}\n`).join('');
  return JSON.stringify(isArray ? values : values[0]);
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
