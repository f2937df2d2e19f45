/**
 * Labels for branches with automatic names: the words that their first own message does not share with the version before it.
 * The texts are the first 50 characters of messages, so a label has only words that the other text certainly lacks.
 */
import { diffArrays } from 'diff';
import { hasAutomaticName } from './automatic-name.js';

/** A message of an outline at which branches can begin: the first of a segment. */
export interface Beginning {
  firstId: string;
  lastId: string;
  parentId: string | null;
  depth: number;
  firstRole: string;
  firstContent: string;
}

/** A branch, and the message at which it branched off. */
export interface Forked {
  id: string;
  name: string;
  head: { depth: number; latestLeaf: { id: string } } | null;
  forkId: string | null;
}

/** The server ends longer texts with it. */
const CUT = '...';
const MAX_WORDS = 4;
const MAX_CHARACTERS = 24;

/**
 * @param branches oldest first
 * @param segments of the outline, siblings in their order
 * @returns labels by the ids of branches; branches that keep their names are missing
 */
export function labelsOf(branches: readonly Forked[], segments: readonly Beginning[]): ReadonlyMap<string, string> {
  const byEnd = new Map(segments.map((segment) => [segment.lastId, segment]));
  const used = new Set(branches.filter((branch) => !hasAutomaticName(branch)).map(({ name }) => name));
  const labels = new Map<string, string>();
  for (const branch of branches) {
    if (!hasAutomaticName(branch)) continue;
    const own = firstOwnOf(branch, byEnd);
    const versions = segments.filter(({ parentId }) => parentId === own?.parentId);
    const before = own === null ? undefined : versions[versions.indexOf(own) - 1];
    if (own === null || before?.firstRole !== own.firstRole) continue;
    const label = distinct(newWords(own.firstContent, before.firstContent, own.firstRole === 'user'), used);
    if (label === null) continue;
    used.add(label);
    labels.set(branch.id, label);
  }
  return labels;
}

/** The segment with the first message of a branch after its fork; null without one. */
function firstOwnOf({ head, forkId }: Forked, byEnd: ReadonlyMap<string | null, Beginning>): Beginning | null {
  if (head === null) return null;
  for (let segment = byEnd.get(head.latestLeaf.id); segment !== undefined; segment = byEnd.get(segment.parentId)) {
    // Another branch may continue after the head.
    if (segment.parentId === forkId && segment.depth <= head.depth) return segment;
  }
  return null;
}

/** Words that say little about a question. */
const FILLER = new Set(
  (
    'a an the and or but so if then please just also too very really what which who whose whom how why when where ' +
    'is are am was were be been do does did can could will would shall should may might must have has had ' +
    'i we you he she it they me us him her them my our your his its their this that these those there here'
  ).split(' '),
);

/** Words that lead to others, so that no label ends with them. */
const LEADING = new Set([...FILLER, ...'as at by for from in into of on to with without'.split(' ')]);

/** The words of a text that its version before lacks, in their order; of an answer, the words from the first of these to the end of its clause. */
function newWords(text: string, before: string, isQuestion: boolean): string[] {
  const tokens = tokensOf(text);
  const words = tokens.map(bare);
  const { places, end } = commonOf(words, tokensOf(before).map(bare));
  const added = words.flatMap((word, n) => (places.has(n) ? [] : [{ word, n }]));
  if (!isQuestion) {
    const start = added[0]?.n ?? words.length;
    const clauseEnd = tokens.findIndex((token, n) => n >= start && /[.,:;!?]$/.test(token));
    return words.slice(start, clauseEnd === -1 ? undefined : clauseEnd + 1);
  }
  return (
    added
      // A longer version before may continue with the words after the end.
      .filter(({ n }) => n < end || !before.endsWith(CUT))
      .map(({ word, n }) => (n === 0 ? uncapitalized(word) : word))
      .filter((word) => !FILLER.has(plain(word)))
  );
}

/** Whole words with their punctuation. */
const tokensOf = (text: string): string[] =>
  text
    .replace(/\S*\.\.\.$/, '')
    .split(/\s+/)
    .filter((token) => bare(token) !== '');

const bare = (token: string): string => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

const plain = (word: string): string => word.toLowerCase();

/** "Plan" at the beginning of a question is no name. */
const uncapitalized = (word: string): string => (/^\p{Lu}\p{Ll}*$/u.test(word) ? plain(word) : word);

/** The places of the words that the other text has, too, and the place that its last word would have. */
function commonOf(words: readonly string[], old: readonly string[]): { places: ReadonlySet<number>; end: number } {
  const places = new Set<number>();
  let [place, end] = [0, 0];
  for (const { added, removed, count } of diffArrays(old.map(plain), words.map(plain))) {
    if (removed) end += count;
    else if (added) place += count;
    else {
      for (let n = 0; n < count; n++) places.add(place++);
      end = place;
    }
  }
  return { places, end };
}

/** The first words that fit; with the next one, or else a number, where another branch has this label. */
function distinct(words: readonly string[], used: ReadonlySet<string>): string | null {
  let count = Math.min(MAX_WORDS, words.length);
  while (count > 1 && words.slice(0, count).join(' ').length > MAX_CHARACTERS) count--;
  while (count > 1 && LEADING.has(plain(words[count - 1] ?? ''))) count--;
  const label = words.slice(0, count).join(' ');
  if (label === '' || label.length > MAX_CHARACTERS) return null;
  const longer = words.slice(0, count + 1).join(' ');
  for (const each of [label, longer]) if (!used.has(each)) return each;
  for (let n = 2; ; n++) if (!used.has(`${label} ${n}`)) return `${label} ${n}`;
}
