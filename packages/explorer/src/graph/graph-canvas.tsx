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
import { linkTo } from '../place.js';
import { words } from '../words.js';
import { fitted, following, showing, zoomed, type Camera } from './camera.js';
import { LANE, ROW, worldOf, type Size } from './dimensions.js';
import { draw, type Colors } from './draw.js';
import { Excerpt } from './excerpt.js';
import type { Labels } from './labels.js';
import { MiniMap } from './mini-map.js';
import { segmentAt, walk, type Scene } from './scene.js';

const WAYS = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;

interface GraphCanvasProps {
  chatId: string;
  title: string;
  scene: Scene;
  labels: Labels;
  /** The segment of the URL; null for none. */
  named: number | null;
}

/** A scene that a mouse, fingers or keys move. It keeps its position when the scene changes. */
export function GraphCanvas({ chatId, title, scene, labels, named }: GraphCanvasProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [screen, setScreen] = useState<Size>({ width: 1, height: 1 });
  const [camera, setCamera] = useState<Camera>({ x: -20, y: -10, scale: 1, across: 1 });
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [pointedId, setPointedId] = useState<string | null>(null);
  const [hasHelp, setHelp] = useState(false);
  const world = useMemo(() => worldOf(scene), [scene]);
  const selected = selectedId === null ? null : (scene.byId.get(selectedId) ?? null);

  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const resize = () => setScreen({ width: current.clientWidth || 1, height: current.clientHeight || 1 });
    const watched = new ResizeObserver(resize);
    watched.observe(current);
    resize();
    return () => watched.disconnect();
  }, []);

  useEffect(() => {
    const { current } = canvas;
    const context = current?.getContext('2d');
    if (!current || !context) return;
    // At most once per frame.
    const frame = requestAnimationFrame(() => {
      const [width, height] = [screen.width * devicePixelRatio, screen.height * devicePixelRatio].map(Math.round);
      if (width !== undefined && current.width !== width) current.width = width;
      if (height !== undefined && current.height !== height) current.height = height;
      draw(context, { scene, labels, camera, screen, selected, colors: colorsOf(current) });
    });
    return () => cancelAnimationFrame(frame);
  }, [scene, labels, camera, screen, selected]);

  // React's passive listener cannot prevent scrolling of the page.
  useEffect(() => {
    const { current } = canvas;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      setCamera((camera) =>
        event.ctrlKey || event.metaKey
          ? zoomed(camera, Math.exp(-event.deltaY / 300), { x: event.offsetX, y: event.offsetY }, world, screen)
          : { ...camera, x: camera.x + event.deltaX / camera.across, y: camera.y + event.deltaY / camera.scale },
      );
    };
    current?.addEventListener('wheel', turn, { passive: false });
    return () => current?.removeEventListener('wheel', turn);
  }, [world, screen]);

  const zoom = (factor: number) =>
    setCamera((camera) => zoomed(camera, factor, { x: screen.width / 2, y: screen.height / 2 }, world, screen));
  const fit = () => setCamera(fitted(world, screen));
  const select = (n: number) => {
    const segment = scene.segments[n];
    if (segment === undefined) return;
    setSelectedId(segment.lastId);
    const place = { x: (scene.lane[n] ?? 0) * LANE, y: (scene.top[n] ?? 0) * ROW, width: LANE, height: 3 * ROW };
    setCamera((camera) => showing(camera, place, screen));
  };
  const isSeen = screen.width > 1;
  useEffect(() => {
    if (isSeen && named !== null) select(named);
    // Where it is named; not each time that the graph changes.
  }, [isSeen, named === null ? null : scene.segments[named]?.firstId]);

  const shown = useRef(scene);
  useLayoutEffect(() => {
    const was = shown.current;
    shown.current = scene;
    if (was !== scene) setCamera((camera) => following(camera, was, scene, selectedId, screen));
  }, [scene]);

  const placeAt = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    const row = Math.floor((camera.y + offsetY / camera.scale) / ROW);
    const n = segmentAt(scene, Math.floor((camera.x + offsetX / camera.across) / LANE), row);
    return n === null ? null : { n, isFirst: row === scene.top[n] };
  };
  const open = (messageId: string) => (location.hash = linkTo({ chatId, messageId }));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[event.key as keyof typeof WAYS] as (typeof WAYS)[keyof typeof WAYS] | undefined;
    if (way !== undefined) select(selected === null ? 0 : walk(scene, selected, way));
    else if (event.key === 'Enter' && selectedId !== null) open(selectedId);
    else if (event.key === '+') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') fit();
    else if (event.key === '?') setHelp(!hasHelp);
    else return;
    event.preventDefault();
  };

  /** The positions of the mouse or fingers, by pointer id. */
  const pressed = useRef(new Map<number, Point>());
  const hasMoved = useRef(false);
  const onPointerDown = (event: PointerEvent) => {
    if (pressed.current.size === 0) hasMoved.current = false;
    pressed.current.set(event.pointerId, pointOf(event));
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const from = pressed.current.get(event.pointerId);
    if (from === undefined) {
      const place = placeAt(event);
      const segment = place && scene.segments[place.n];
      setPointedId(segment ? (place.isFirst ? segment.firstId : segment.lastId) : null);
      return;
    }
    const to = pointOf(event);
    if (!hasMoved.current && distance(from, to) < 4) return;
    hasMoved.current = true;
    pressed.current.set(event.pointerId, to);
    const [other] = [...pressed.current].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]));
    setCamera((camera) =>
      other === undefined
        ? { ...camera, x: camera.x - (to.x - from.x) / camera.across, y: camera.y - (to.y - from.y) / camera.scale }
        : zoomed(camera, distance(to, other) / Math.max(1, distance(from, other)), other, world, screen),
    );
  };
  const onPointerUp = (event: PointerEvent) => {
    pressed.current.delete(event.pointerId);
    const place = hasMoved.current ? null : placeAt(event);
    const segment = place && scene.segments[place.n];
    if (segment) open(place.isFirst ? segment.firstId : segment.lastId);
  };

  const excerptId = pointedId ?? selectedId;
  const at = selected === null ? undefined : scene.segments[selected];
  return (
    <section className="graph">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={words.graphOf(title)}
        data-pointed={pointedId ?? undefined}
        {...{ onKeyDown, onPointerDown, onPointerMove, onPointerUp }}
        onPointerLeave={() => setPointedId(null)}
        onPointerCancel={({ pointerId }) => pressed.current.delete(pointerId)}
      />
      <div className="tools">
        <button onClick={() => zoom(1.25)} aria-label={words.nearer}>
          +
        </button>
        <button onClick={() => zoom(0.8)} aria-label={words.further}>
          −
        </button>
        <button onClick={fit}>{words.fit}</button>
        <button onClick={() => setHelp(!hasHelp)} aria-expanded={hasHelp} aria-label={words.help}>
          ?
        </button>
      </div>
      <MiniMap scene={scene} camera={camera} screen={screen} onMove={(x, y) => setCamera({ ...camera, x, y })} />
      {excerptId !== null && <Excerpt messageId={excerptId} />}
      <output aria-live="polite">{at && words.segment(at.lastRole, at.lastContent, at.length)}</output>
      {hasHelp && (
        <dl className="keys">
          {words.keys.map(([key, action]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{action}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

interface Point {
  x: number;
  y: number;
}

const pointOf = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent): Point => ({ x: offsetX, y: offsetY });
const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** From the style sheet, for light and dark mode. */
function colorsOf(element: Element): Colors {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(`--${name}`);
  return {
    text: color('text'),
    faint: color('text-muted'),
    line: color('text-muted'),
    main: color('accent'),
    mark: color('lane-6'),
    markText: color('surface'),
    page: color('surface'),
    selected: color('accent-soft'),
  };
}
