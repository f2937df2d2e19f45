import type { Parley, ThreadState } from '@parley/client';
import { useMemo, useState } from 'react';
import { useRead } from '../requests/use-read.js';
import { findInside, positionAtDepth, type Insides, type Mark } from './scene/labels.js';
import { readGraph, readRun, type Inner, type Outline, type Segment } from './outline.js';
import { runsOf, withOpenRuns, withoutCollapsed, type KnownRuns } from './scene/runs.js';
import { colorsOf, sceneOf, type Scene } from './scene/scene.js';

/** The branches, checkpoints and drafts of a chat, by priority: small scales show only the first labels. */
export function marksOf({
  branches,
  checkpoints,
  drafts,
}: Pick<ThreadState, 'branches' | 'checkpoints' | 'drafts'>): Mark[] {
  const heads = branches.flatMap(({ headId, label, isActive }): Mark[] =>
    headId === null ? [] : [{ messageId: headId, text: label, kind: isActive ? 'active' : 'branch' }],
  );
  return [
    ...heads.filter(({ kind }) => kind === 'active'),
    ...drafts.flatMap(({ parentId, message }): Mark[] =>
      parentId === null ? [] : [{ messageId: parentId, text: `${message.name} writing…`, kind: 'draft' }],
    ),
    ...checkpoints.map(({ messageId, name }): Mark => ({ messageId, text: name, kind: 'checkpoint' })),
    ...heads.filter(({ kind }) => kind === 'branch'),
  ];
}

export interface GraphData {
  outline: Outline;
  scene: Scene;
  insides: Insides;
  /** Shows the inner messages of a run, or collapses and expands a branch. */
  toggle: (segment: Segment, kind: 'run' | 'branch') => void;
}

/**
 * The scene of a chat; null until it was read.
 * @param isRead whether the chat was read @param version changes when the graph must be read again
 * @param messageIds the messages whose positions are needed
 */
export function useGraph(
  parley: Parley,
  chatId: string,
  isRead: boolean,
  version: unknown,
  activeId: string | null,
  messageIds: readonly string[],
): GraphData | null {
  const [read, setRead] = useState<{ outline: Outline; nodes: readonly Inner[] } | null>(null);
  // The thread next to the graph reports a failure.
  useRead(
    (signal) => (isRead ? readGraph(parley, chatId, signal).then(setRead) : undefined),
    [parley, chatId, isRead, version],
  );

  const [runs, setRuns] = useState<KnownRuns>(new Map());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const segments = useMemo(() => {
    if (read === null) return null;
    const known = read.nodes.length === 0 ? runs : runsOf(read.outline.segments, read.nodes);
    return withOpenRuns(read.outline.segments, known, opened);
  }, [read, runs, opened]);
  const byEnd = useMemo(
    () => new Set((segments ?? []).flatMap(({ firstId, lastId }) => [firstId, lastId])),
    [segments],
  );

  const [insides, setInsides] = useState<Insides>(new Map());
  const toFind = segments === null ? [] : [...new Set(messageIds)].filter((id) => !byEnd.has(id) && !insides.has(id));
  const toFindKey = toFind.join(' ');
  useRead(
    (signal) => {
      if (toFind.length === 0) return undefined;
      return findInside(parley, toFind, signal).then((found) => setInsides((known) => new Map([...known, ...found])));
    },
    [parley, toFindKey],
  );

  const activeInside = activeId === null ? undefined : insides.get(activeId);
  const scene = useMemo(() => {
    if (segments === null) return null;
    const { segments: shown, hidden } = withoutCollapsed(segments, collapsed);
    const colors = colorsOf(segments);
    const plain = sceneOf(shown, activeId, { hidden, colors });
    if (activeInside === undefined || activeId === null || plain.byId.has(activeId)) return plain;
    return sceneOf(shown, activeId, { hidden, colors, inside: positionAtDepth(plain, activeInside)?.n });
  }, [segments, collapsed, activeId, activeInside]);

  if (read === null || scene === null) return null;
  const toggle: GraphData['toggle'] = (segment, kind) => {
    const { firstId } = segment;
    if (kind === 'branch') return setCollapsed((was) => toggled(was, firstId));
    setOpened((was) => new Set([...was, firstId]));
    if (read.nodes.length > 0) return;
    readRun(parley, segment, AbortSignal.timeout(RUN_TIMEOUT_MS)).then(
      (nodes) => setRuns((known) => new Map([...known, [firstId, nodes]])),
      () => {},
    );
  };
  return { outline: read.outline, scene, insides, toggle };
}

const RUN_TIMEOUT_MS = 20_000;

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
