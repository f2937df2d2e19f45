/** What stands at the messages of the picture: names of branches and checkpoints, and what is being written. */
import { operation, type Parley } from '@parley/client';
import type { Label } from './draw.js';
import type { Scene } from './scene.js';

/** By segment, what stands at its first, at its last and between them. */
export type Labels = ReadonlyMap<number, Partial<Record<'first' | 'inside' | 'last', readonly Label[]>>>;

/** A label, and the message that it stands at. */
export interface Mark extends Label {
  messageId: string;
}

/** By the ids of messages inside of segments: where they are. */
export type Insides = ReadonlyMap<string, number>;

/** How many messages inside of segments are looked for: more labels than that cannot be read there. */
const MOST = 40;

/** The segments of messages that are at no end of one. */
export async function findInside(
  parley: Parley,
  scene: Scene,
  messageIds: readonly string[],
  signal: AbortSignal,
): Promise<Insides> {
  const inside = messageIds.slice(0, MOST);
  const names = inside.map((_, n) => `m${n}`);
  const FindMessages = operation<
    Record<string, { depth: number; latestLeaf: { id: string } } | null>,
    Record<string, string>
  >(
    `query FindMessages(${names.map((name) => `$${name}: ID!`).join(' ')}) {
      ${names.map((name) => `${name}: message(id: $${name}) { depth latestLeaf { id } }`).join('\n')}
    }`,
  );
  const found = await parley.run(FindMessages, Object.fromEntries(inside.map((id, n) => [`m${n}`, id])), signal);
  return new Map(
    inside.flatMap((id, n) => {
      const message = found[`m${n}`];
      const at = message && segmentOf(scene, message.latestLeaf.id, message.depth);
      return at == null ? [] : [[id, at] as const];
    }),
  );
}

/** The segment that has the ancestor of a leaf at a depth. */
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
