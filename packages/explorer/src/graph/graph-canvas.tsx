import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { counted } from '../words.js';
import { centered, following, showing, within } from './scene/camera.js';
import { ROW, type Point } from './scene/dimensions.js';
import { draw } from './drawing/draw.js';
import { textLeft, yOf } from './drawing/drawn.js';
import { GraphTools } from './graph-tools.js';
import { chipTextOf, type Labels } from './scene/labels.js';
import { MessageCard, type CardActions } from './message-card.js';
import { MiniMap } from './mini-map.js';
import { Pulses } from './pulses.js';
import { positionAt, rowOf, startOf, walk, type Position, type Scene } from './scene/scene.js';
import { useCamera } from './use-camera.js';
import { useColors } from './drawing/use-colors.js';
import { useMotion } from './use-motion.js';
import { usePointers } from './use-pointers.js';

const WAYS = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;

/** A smaller graph needs no map. */
const MIN_MAP_ROWS = 40;

interface GraphCanvasProps {
  title: string;
  /** The numbers of messages and branches. */
  summary: string;
  scene: Scene;
  labels: Labels;
  texts: ReadonlyMap<string, string>;
  /** The message to select: of the URL, or of the thread beside the graph. */
  target: Position | null;
  /** The head of the active branch: without a target, it is in view at first. */
  head: Position | null;
  /** The id of a shown message. */
  onOpen: (messageId: string) => void;
  /** Moves the focus of the keyboard to the opened message. */
  onEnter: () => void;
  /** Shows the inner messages of a run, or collapses and expands a branch. */
  onToggle: (segment: Scene['segments'][number], kind: 'run' | 'branch') => void;
  actionsOf: (position: Position, messageId: string) => CardActions;
}

/** A selection that survives changes of the scene. */
interface Selection {
  id: string;
  isInside: boolean;
}

/** A scene that a mouse, fingers or keys move. It keeps its position when the scene changes. */
export function GraphCanvas(props: GraphCanvasProps): ReactNode {
  const { title, summary, scene, labels, texts, target, head, onOpen, onEnter, onToggle, actionsOf } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [selection, setSelection] = useState<Selection | null>(null);
  const card = useRef<HTMLElement>(null);
  const [pointedId, setPointedId] = useState<string | null>(null);
  /** The message of the card: the pointed one, or one that a key selected. */
  const [carded, setCarded] = useState<Selection | null>(null);
  const [hasHelp, setHelp] = useState(false);
  const control = useCamera(canvas, scene.height);
  const { camera, move, screen, zoom, fit } = control;
  const colors = useColors(canvas);
  const { shift, begin } = useMotion();
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
      draw(context, { scene, labels, texts, camera, screen, selected, colors, shift });
    });
    return () => cancelAnimationFrame(frame);
  }, [scene, labels, texts, camera, screen, selected, colors, shift]);

  const select = (position: Position) => {
    setSelection(selectionOf(scene, position));
    move((camera) => showing(camera, rowOf(scene, position), screen));
  };
  const isSeen = screen.width > 1;
  const targetKey = target === null ? null : JSON.stringify(selectionOf(scene, target));
  useEffect(() => {
    if (isSeen && target !== null) select(target);
    else if (isSeen && head !== null) move((camera) => centered(camera, rowOf(scene, head), screen));
    // When another message is named; not each time that the graph changes.
  }, [isSeen, targetKey]);

  const shown = useRef(scene);
  useLayoutEffect(() => {
    const was = shown.current;
    shown.current = scene;
    if (was === scene) return;
    const next = within(following(camera, was, scene, selection?.id ?? null, screen), scene.height, screen);
    move(() => next);
    begin(was, scene, (next.y - camera.y) / ROW);
  }, [scene]);

  const placeAt = ({ y }: Point): Position | null => positionAt(scene, Math.floor((camera.y + y / camera.scale) / ROW));
  const toggle = ({ n, at }: Position) => {
    const segment = scene.segments[at === 'inside' ? n : startOf(scene, n)];
    if (segment !== undefined) onToggle(segment, at === 'inside' ? 'run' : 'branch');
  };
  /** @returns whether it has opened a message, and not shown hidden ones */
  const open = (position: Position) => {
    const isMessage = position.at !== 'inside' && scene.segments[position.n]?.collapsedCount === undefined;
    if (isMessage) onOpen(selectionOf(scene, position).id);
    else toggle(position);
    return isMessage;
  };
  const point = (position: Position | null) => {
    const pointed = position === null ? null : selectionOf(scene, position);
    setPointedId(pointed?.id ?? null);
    setCarded(pointed?.isInside === true ? null : pointed);
  };
  const pointers = usePointers(
    control,
    (at) => point(placeAt(at)),
    (at) => {
      const position = placeAt(at);
      if (position === null) return;
      setSelection(selectionOf(scene, position));
      setCarded(null);
      open(position);
    },
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[event.key as keyof typeof WAYS] as (typeof WAYS)[keyof typeof WAYS] | undefined;
    if (way !== undefined) {
      const next: Position = selected === null ? { n: 0, at: 'first' } : walk(scene, selected, way);
      select(next);
      setCarded(next.at === 'inside' ? null : selectionOf(scene, next));
    } else if (event.key === 'Enter' && selected !== null) {
      setCarded(null);
      if (open(selected)) onEnter();
    } else if (event.key === 'Escape' && carded !== null) setCarded(null);
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
  const onLeave = ({ relatedTarget }: PointerEvent) => {
    const isWithin = relatedTarget instanceof Node && (card.current?.contains(relatedTarget) ?? false);
    setPointedId(null);
    if (!isWithin && relatedTarget !== canvas.current) setCarded(null);
  };
  const cardPosition = positionOfSelection(scene, carded);
  const cardRow = cardPosition === null ? 0 : rowOf(scene, cardPosition);
  return (
    <section className="graph">
      <header className="row">
        <small>{summary}</small>
        {tools}
      </header>
      <div className="graph-body">
        <div className="graph-canvas" onKeyDown={(event) => event.key === 'Escape' && canvas.current?.focus()}>
          <canvas
            ref={canvas}
            tabIndex={0}
            role="application"
            aria-label={`Graph of ${title}. Move with the arrow keys; Enter opens the thread.`}
            data-pointed={pointedId ?? undefined}
            {...pointers}
            {...{ onKeyDown }}
            onPointerLeave={onLeave}
          />
          <Pulses {...{ scene, labels, camera, screen }} />
          {carded !== null && cardPosition !== null && (
            <MessageCard
              key={carded.id}
              ref={card}
              messageId={carded.id}
              names={(labels.get(cardPosition.n)?.[cardPosition.at] ?? []).map(chipTextOf)}
              at={{ x: textLeft({ scene, screen }, cardRow), y: yOf(camera, cardRow) }}
              {...{ screen, onLeave }}
              {...actionsOf(cardPosition, carded.id)}
            />
          )}
        </div>
        {scene.height > MIN_MAP_ROWS && (
          <MiniMap
            {...{ scene, camera, screen, colors }}
            onMove={(row) => move((was) => ({ ...was, y: row * ROW - screen.height / was.scale / 2 }))}
          />
        )}
      </div>
      <output className="visually-hidden" aria-live="polite">
        {selected && describe(scene, selected)}
      </output>
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
