/** The labels of messages in the graph: branches, checkpoints and drafts; and the positions of messages. */
import type { Parley } from '@parley/client';
import { readMessages } from '../../requests/read-messages.js';
import type { Position, Scene } from './scene.js';

/** A text next to a message. */
export interface Label {
  text: string;
  kind: 'active' | 'branch' | 'checkpoint' | 'draft';
}

/** The text of a label where its kind has no other form. */
export const chipTextOf = ({ text, kind }: Label): string => (kind === 'checkpoint' ? `⚑ ${text}` : text);

/** By segment, the labels at its first message, at its last, and in between. */
export type Labels = ReadonlyMap<number, Partial<Record<Position['at'], readonly Label[]>>>;

/** A label and the id of its message. */
export interface Mark extends Label {
  messageId: string;
}

/** The location of a message in the graph: its depth, and a message below it that ends a segment. */
export interface Depth {
  depth: number;
  leafId: string;
}

/** The locations of inner messages, by message id. */
export type Insides = ReadonlyMap<string, Depth>;

/** Fields of a message in GraphQL. */
export const INSIDE_FIELDS = 'depth latestLeaf { id }';

/** The largest number of inner messages to find: more labels would be unreadable. */
const MAX_LABELS = 40;

/** Reads the locations of messages that are neither first nor last in a segment. */
export async function findInside(parley: Parley, messageIds: readonly string[], signal: AbortSignal): Promise<Insides> {
  const found = await readMessages<{ depth: number; latestLeaf: { id: string } }>(
    parley,
    messageIds.slice(0, MAX_LABELS),
    INSIDE_FIELDS,
    signal,
  );
  return new Map([...found].map(([id, { depth, latestLeaf }]) => [id, { depth, leafId: latestLeaf.id }]));
}

/** The position of a message; null when the scene does not have it, or its location is not known. */
export function positionOf(scene: Scene, messageId: string, inside?: Depth): Position | null {
  const n = scene.byId.get(messageId);
  if (n !== undefined && n !== -1)
    return { n, at: scene.segments[n]?.firstId === messageId ? 'first' : endOf(scene, n) };
  return inside === undefined ? null : positionAtDepth(scene, inside);
}

/** The position of the ancestor of a leaf at a depth. */
export function positionAtDepth(scene: Scene, { leafId, depth }: Depth): Position | null {
  const { byId, parents, segments } = scene;
  let n = byId.get(leafId) ?? -1;
  while (n !== -1 && (segments[n]?.depth ?? 0) > depth) n = parents[n] ?? -1;
  const segment = segments[n];
  if (segment === undefined) return null;
  if (depth === segment.depth) return { n, at: 'first' };
  return { n, at: depth < segment.depth + segment.length - 1 ? 'inside' : endOf(scene, n) };
}

/** A collapsed branch has one row for all its messages. */
const endOf = ({ segments }: Scene, n: number): Position['at'] => ((segments[n]?.length ?? 1) > 1 ? 'last' : 'first');

/** The characters of the longest row. */
const MAX_TEXT = 240;
/** The end of a text that the server has cut. */
const CUT = '...';

/**
 * Longer beginnings of the shown messages, of those that were read.
 * A message whose data are its text has another beginning in the outline, which stays.
 */
export function textsOf(
  { segments }: Pick<Scene, 'segments'>,
  messages: readonly { id: string; text: string }[],
): ReadonlyMap<string, string> {
  const contents = new Map(
    segments.flatMap(({ firstId, firstContent, lastId, lastContent }) => [
      [firstId, firstContent],
      [lastId, lastContent],
    ]),
  );
  return new Map(
    messages.flatMap(({ id, text }): [string, string][] => {
      const content = contents.get(id);
      const isCut = content?.endsWith(CUT) === true && text.startsWith(content.slice(0, -CUT.length));
      return isCut ? [[id, text.slice(0, MAX_TEXT).replace(/\s+/g, ' ')]] : [];
    }),
  );
}

export function labelsOf(scene: Scene, marks: readonly Mark[], insides: Insides): Labels {
  const labels = new Map<number, Partial<Record<Position['at'], Label[]>>>();
  for (const { messageId, text, kind } of marks) {
    const position = positionOf(scene, messageId, insides.get(messageId));
    if (position === null) continue;
    const there = labels.get(position.n) ?? {};
    labels.set(position.n, { ...there, [position.at]: [...(there[position.at] ?? []), { text, kind }] });
  }
  return labels;
}
