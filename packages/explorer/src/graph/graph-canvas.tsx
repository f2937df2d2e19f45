import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { counted } from '../words.js';
import { following, showing } from './scene/camera.js';
import { LANE, ROW, worldOf, type Point } from './scene/dimensions.js';
import { draw } from './drawing/draw.js';
import { Excerpt } from './excerpt.js';
import { GraphTools } from './graph-tools.js';
import type { Labels } from './scene/labels.js';
import { Legend } from './legend.js';
import { MiniMap } from './mini-map.js';
import { Pulses } from './pulses.js';
import { positionAt, rowOf, startOf, walk, type Position, type Scene } from './scene/scene.js';
import { useCamera } from './use-camera.js';
import { useColors } from './drawing/use-colors.js';
import { usePointers } from './use-pointers.js';

const WAYS = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;

/** A smaller graph is seen at once. */
const MIN_MAP_MESSAGES = 10;

interface GraphCanvasProps {
  title: string;
  scene: Scene;
  labels: Labels;
  messageCount: number;
  /** The message to select: of the URL, or of the thread beside the graph. */
  target: Position | null;
  /** Whether a card shows the beginning of the selected message, too. */
  hasExcerpt: boolean;
  /** The id of a shown message. */
  onOpen: (messageId: string) => void;
  /** Shows the inner messages of a run, or collapses and expands a branch. */
  onToggle: (segment: Scene['segments'][number], kind: 'run' | 'branch') => void;
}

/** A selection that survives changes of the scene. */
interface Selection {
  id: string;
  isInside: boolean;
}

/** A scene that a mouse, fingers or keys move. It keeps its position when the scene changes. */
export function GraphCanvas(props: GraphCanvasProps): ReactNode {
  const { title, scene, labels, messageCount, target, hasExcerpt, onOpen, onToggle } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [selection, setSelection] = useState<Selection | null>(null);
  const [pointedId, setPointedId] = useState<string | null>(null);
  const [hasHelp, setHelp] = useState(false);
  const world = useMemo(() => worldOf(scene), [scene]);
  const control = useCamera(canvas, world);
  const { camera, setCamera, screen, zoom, fit } = control;
  const colors = useColors(canvas);
  const selected = useMemo(() => positionOfSelection(scene, selection), [scene, selection]);

  useEffect(() => {
    const { current } = canvas;
    const context = current?.getContext('2d');
    if (!current || !context || colors === null) return;
    // At most once per frame.
    const frame = requestAnimationFrame(() => {
      const [width, height] = [screen.width * devicePixelRatio, screen.height * devicePixelRatio].map(Math.round);
      if (width !== undefined && current.width !== width) current.width = width;
      if (height !== undefined && current.height !== height) current.height = height;
      draw(context, { scene, labels, camera, screen, selected, colors });
    });
    return () => cancelAnimationFrame(frame);
  }, [scene, labels, camera, screen, selected, colors]);

  const select = (position: Position) => {
    setSelection(selectionOf(scene, position));
    const [x, row] = [(scene.lane[position.n] ?? 0) * LANE, rowOf(scene, position)];
    const place = { x, y: (row - 1) * ROW, width: LANE, height: 4 * ROW };
    setCamera((camera) => showing(camera, place, screen));
  };
  const isSeen = screen.width > 1;
  const targetKey = target === null ? null : JSON.stringify(selectionOf(scene, target));
  useEffect(() => {
    if (isSeen && target !== null) select(target);
    // When another message is named; not each time that the graph changes.
  }, [isSeen, targetKey]);

  const shown = useRef(scene);
  useLayoutEffect(() => {
    const was = shown.current;
    shown.current = scene;
    if (was !== scene) setCamera((camera) => following(camera, was, scene, selection?.id ?? null, screen));
  }, [scene]);

  const placeAt = ({ x, y }: Point): Position | null =>
    positionAt(
      scene,
      Math.floor((camera.x + x / camera.across) / LANE),
      Math.floor((camera.y + y / camera.scale) / ROW),
    );
  const toggle = ({ n, at }: Position) => {
    const segment = scene.segments[at === 'inside' ? n : startOf(scene, n)];
    if (segment !== undefined) onToggle(segment, at === 'inside' ? 'run' : 'branch');
  };
  const open = (position: Position) => {
    const id = selectionOf(scene, position).id;
    const isCollapsed = scene.segments[position.n]?.collapsedCount !== undefined;
    if (position.at === 'inside' || isCollapsed) toggle(position);
    else onOpen(id);
  };
  const pointers = usePointers(
    control,
    world,
    (at) => {
      const position = placeAt(at);
      setPointedId(position === null ? null : selectionOf(scene, position).id);
    },
    (at) => {
      const position = placeAt(at);
      if (position === null) return;
      setSelection(selectionOf(scene, position));
      open(position);
    },
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[event.key as keyof typeof WAYS] as (typeof WAYS)[keyof typeof WAYS] | undefined;
    if (way !== undefined) select(selected === null ? { n: 0, at: 'first' } : walk(scene, selected, way));
    else if (event.key === 'Enter' && selected !== null) open(selected);
    else if (event.key === ' ' && selected !== null) toggle(selected);
    else if (event.key === '+') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') fit();
    else if (event.key === '?') setHelp(!hasHelp);
    else return;
    event.preventDefault();
  };

  // Not rendered again when only the camera moves.
  const tools = useMemo(
    () => (
      <GraphTools {...{ zoom, fit, hasHelp, selected, scene }} onHelp={() => setHelp(!hasHelp)} onToggle={toggle} />
    ),
    [scene, screen, selected, hasHelp, onToggle],
  );
  const excerptId = pointedId ?? (hasExcerpt ? selection?.id : null);
  return (
    <section className="graph">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`Graph of ${title}. Move with the arrow keys; Enter opens the thread.`}
        data-pointed={pointedId ?? undefined}
        {...pointers}
        {...{ onKeyDown }}
        onPointerLeave={() => setPointedId(null)}
      />
      <Pulses {...{ scene, labels, camera, screen }} />
      {tools}
      {messageCount >= MIN_MAP_MESSAGES && (
        <MiniMap {...{ scene, camera, screen, colors }} onMove={(x, y) => setCamera((was) => ({ ...was, x, y }))} />
      )}
      {excerptId != null && <Excerpt messageId={excerptId} />}
      <footer>
        <output className="visually-hidden" aria-live="polite">
          {selected && describe(scene, selected)}
        </output>
        <Legend hasSources={scene.sources.size > 0} />
      </footer>
    </section>
  );
}

const selectionOf = ({ segments }: Scene, { n, at }: Position): Selection => ({
  id: (at === 'last' ? segments[n]?.lastId : segments[n]?.firstId) ?? '',
  isInside: at === 'inside',
});

function positionOfSelection(scene: Scene, selection: Selection | null): Position | null {
  const n = selection === null ? undefined : scene.byId.get(selection.id);
  const segment = scene.segments[n ?? -1];
  if (n === undefined || segment === undefined) return null;
  if (selection?.isInside === true && segment.length > 2) return { n, at: 'inside' };
  return { n, at: segment.length > 1 && segment.lastId === selection?.id ? 'last' : 'first' };
}

/** The selected row as text, for screen readers. */
function describe({ segments }: Scene, { n, at }: Position): string {
  const segment = segments[n];
  if (segment === undefined) return '';
  const { firstRole, firstContent, lastRole, lastContent, length, collapsedCount, sourceIds = [] } = segment;
  if (at === 'inside') return `${(length - 2).toLocaleString('en')} more messages. Enter shows them.`;
  const text = at === 'last' ? `${lastRole}: ${lastContent}` : `${firstRole}: ${firstContent}`;
  const notes = [
    ...(at === 'first' && sourceIds.length > 0 ? [`draws on ${counted(sourceIds.length, 'message')}`] : []),
    ...(collapsedCount === undefined ? [] : [`collapsed: ${counted(collapsedCount, 'message')}`]),
  ];
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`;
}
