/** Samples whose texts have marks, so that each text can be found again in what is read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversationsIn, findValues, type ReadConversation } from '@parley/interchange/server';
import { sampleNames, SAMPLES_FOLDER } from '../../features/imports/readers/sample-graphs.js';

export interface MarkedSample {
  readonly name: string;
  readonly isLines: boolean;
  /** Its lines, the elements of its array, or the only value. */
  readonly values: readonly unknown[];
  readonly isArray: boolean;
}

export type Read = Extract<ReadConversation, { conversation: unknown }>;

/** Private-use characters: no reader treats them as markup. */
const mark = (sample: number, n: number) => `\u{f0000}${sample}.${n}\u{f0001}`;
const MARK = /(?:\u{f0000}|qz)(\d+)\.(\d+)(?:\u{f0001}|zq)/gu;

/** A text whose marks are in ASCII, with a sentence after each occurrence of the first mark. */
export function inAscii(text: string, sentence: string): string {
  const [first = ''] = text.match(MARK) ?? [];
  const all = text.replaceAll(first, `${first}${sentence}`);
  return all.replaceAll('\u{f0000}', 'qz').replaceAll('\u{f0001}', 'zq');
}

/** Members that hold ids of conversations or messages. */
const REFERENCES = /id$|uuid$|parent|child|current|leaf|head|active|ancestor|root|rewind|workspace/i;

/**
 * The sample as another conversation: its ids and its marks are others.
 * @param offset added to the number of the sample in its marks
 */
export function asCopy({ values }: MarkedSample, offset: number): unknown[] {
  const ids = new Set<unknown>();
  const collect = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && /id$|^workspace$/i.test(key)) ids.add(value);
    if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) collect(each, name);
  };
  collect(values);
  const renamed = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (REFERENCES.test(key) && ids.has(value)) return `${value}-copy`;
      return value.replace(MARK, (_, sample, n) => mark(Number(sample) + offset, Number(n)));
    }
    if (Array.isArray(value)) return value.map((each) => renamed(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [ids.has(name) ? `${name}-copy` : name, renamed(each, name)]),
    );
  };
  return values.map((value) => renamed(value, ''));
}

/** Each mark in a text. */
export function marksOf(text: string): string[] {
  return Array.from(text.matchAll(MARK), ([, sample, n]) => `${sample}.${n}`);
}

export const marksIn = (text: string): Set<string> => new Set(marksOf(text));

export const sampleOf = (each: string): string => each.split('.')[0] ?? '';

export async function read(bytes: Buffer): Promise<ReadConversation[]> {
  async function* chunks() {
    yield bytes;
  }
  const all: ReadConversation[] = [];
  for await (const each of conversationsIn(findValues(chunks()), null)) all.push(each);
  return all;
}

/** The texts that a node shows. */
export function shownBy(node: Read['conversation']['nodes'][number]): string {
  return node
    .content()
    .parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

export async function markedSamples(): Promise<MarkedSample[]> {
  const samples: MarkedSample[] = [];
  for (const [number, name] of sampleNames().entries()) {
    const text = readFileSync(join(SAMPLES_FOLDER, name), 'utf8');
    const isLines = name.endsWith('.jsonl');
    const value = isLines
      ? text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown)
      : (JSON.parse(text) as unknown);
    const shown = new Set<string>();
    for (const each of await read(Buffer.from(text))) {
      if (!('conversation' in each)) continue;
      for (const node of each.conversation.nodes) {
        for (const part of node.content().parts) if (typeof part['text'] === 'string') shown.add(part['text']);
      }
    }
    const numbers = new Map<string, number>();
    const numberOf = (of: string) => numbers.get(of) ?? numbers.set(of, numbers.size).get(of)!;
    const marked = (of: unknown): unknown => {
      if (typeof of === 'string') return shown.has(of) ? `${of}${mark(number, numberOf(of))}` : of;
      if (Array.isArray(of)) return of.map(marked);
      if (typeof of !== 'object' || of === null) return of;
      return Object.fromEntries(Object.entries(of).map(([key, member]) => [key, marked(member)]));
    };
    const isArray = Array.isArray(value);
    const values = (isArray ? value : [value]).map(marked);
    samples.push({ name, isLines, isArray, values });
  }
  return samples;
}
