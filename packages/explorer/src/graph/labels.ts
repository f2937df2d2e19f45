/** The labels of messages in the graph: branches, checkpoints and drafts. */
import type { Parley } from '@parley/client';
import { readMessages } from '../read-messages.js';
import type { Scene } from './scene.js';

/** A text next to a message. */
export interface Label {
  text: string;
  isActive: boolean;
}

/** By segment, the labels at its first message, at its last, and in between. */
export type Labels = ReadonlyMap<number, Partial<Record<'first' | 'inside' | 'last', readonly Label[]>>>;

/** A label and the id of its message. */
export interface Mark extends Label {
  messageId: string;
}

/** The segments of inner messages, by message id. */
export type Insides = ReadonlyMap<string, number>;

/** The largest number of inner messages to find: more labels would be unreadable. */
const MAX_LABELS = 40;

interface Inside {
  depth: number;
  latestLeaf: { id: string };
}

/** Finds the segments of messages that are neither first nor last in one. */
export async function findInside(
  parley: Parley,
  scene: Scene,
  messageIds: readonly string[],
  signal: AbortSignal,
): Promise<Insides> {
  const found = await readMessages<Inside>(parley, messageIds.slice(0, MAX_LABELS), 'depth latestLeaf { id }', signal);
  return new Map(
    [...found].flatMap(([id, { depth, latestLeaf }]) => {
      const at = segmentOf(scene, latestLeaf.id, depth);
      return at === null ? [] : [[id, at] as const];
    }),
  );
}

/** The segment that contains the ancestor of a leaf at a depth. */
export function segmentOf({ byId, parents, segments }: Scene, leafId: string, depth: number): number | null {
  let at = byId.get(leafId) ?? -1;
  while (at !== -1 && (segments[at]?.depth ?? 0) > depth) at = parents[at] ?? -1;
  return at === -1 ? null : at;
}

export function labelsOf(scene: Scene, marks: readonly Mark[], insides: Insides): Labels {
  const labels = new Map<number, Partial<Record<'first' | 'inside' | 'last', Label[]>>>();
  for (const { messageId, text, isActive } of marks) {
    const n = scene.byId.get(messageId) ?? insides.get(messageId);
    const segment = n === undefined ? undefined : scene.segments[n];
    if (n === undefined || segment === undefined) continue;
    const place = messageId === segment.firstId ? 'first' : messageId === segment.lastId ? 'last' : 'inside';
    const there = labels.get(n) ?? {};
    labels.set(n, { ...there, [place]: [...(there[place] ?? []), { text, isActive }] });
  }
  return labels;
}
