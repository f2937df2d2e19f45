/** The visible part of the graph: the point at the upper left, and the size of a pixel. */
import { LANE, ROW, type Size } from './dimensions.js';
import { firstBetween, type Scene } from './scene.js';

export interface Camera {
  readonly x: number;
  readonly y: number;
  /** Vertical scale. */
  readonly scale: number;
  /** Horizontal scale of lanes, not of texts: they fill the screen within limits, and keep a minimum distance. */
  readonly across: number;
}

const NEAREST = 2;
/** Fits a graph of 60,000 rows into a screen. */
const FURTHEST = 0.0002;

/** The minimum distance of lanes, relative to scale 1; smaller when more lanes must fit. */
const NARROWEST = 0.42;
/** The distances of lanes relative to the scale: texts need the first, and more than the second is empty. */
const CLOSE = 0.8;
const APART = 1.3;

/** Zooms in or out around a fixed point of the screen. */
export function zoomed(
  { x, y, scale, across }: Camera,
  factor: number,
  at: { x: number; y: number },
  world: Size,
  screen: Size,
): Camera {
  const next = Math.min(NEAREST, Math.max(FURTHEST, scale * factor));
  const nextAcross = acrossAt(next, world, screen);
  return {
    scale: next,
    across: nextAcross,
    x: x + at.x / across - at.x / nextAcross,
    y: y + at.y / scale - at.y / next,
  };
}

/** Pixels above and below a fitted scene. */
const MARGIN = 16;

/** Shows the whole scene, without enlarging it. */
export function fitted(world: Size, screen: Size): Camera {
  const height = Math.max(1, screen.height - 2 * MARGIN);
  const all = Math.min(1, screen.width / Math.max(1, world.width), height / Math.max(1, world.height));
  const scale = Math.max(FURTHEST, all);
  const across = acrossAt(scale, world, screen);
  return { scale, across, x: (world.width - screen.width / across) / 2, y: -MARGIN / scale };
}

/** Moves the least distance that makes a rectangle visible. */
export function showing(camera: Camera, place: Size & { x: number; y: number }, screen: Size): Camera {
  const along = (from: number, length: number, start: number, available: number) =>
    start < from ? start : start + available > from + length ? start + available - length : from;
  return {
    ...camera,
    x: along(camera.x, screen.width / camera.across, place.x, place.width),
    y: along(camera.y, screen.height / camera.scale, place.y, place.height),
  };
}

/** Keeps the selected segment, or else the first visible one, at its position on the screen when the scene changes. */
export function following(camera: Camera, was: Scene, scene: Scene, selectedId: string | null, screen: Size): Camera {
  const [first, last] = [camera.y / ROW, (camera.y + screen.height / camera.scale) / ROW];
  const selected = selectedId === null ? undefined : was.byId.get(selectedId);
  const row = selected === undefined ? -1 : (was.top[selected] ?? -1);
  const kept = selected !== undefined && first <= row && row <= last ? selected : firstBetween(was, first, last);
  const now = kept === null ? undefined : scene.byId.get(was.segments[kept]?.firstId ?? '');
  if (kept === null || now === undefined) return camera;
  const moved = (of: 'lane' | 'top') => (scene[of][now] ?? 0) - (was[of][kept] ?? 0);
  return { ...camera, x: camera.x + moved('lane') * LANE, y: camera.y + moved('top') * ROW };
}

/** The horizontal scale of lanes at a scale. */
export function acrossAt(scale: number, world: Size, screen: Size): number {
  const filling = screen.width / Math.max(1, world.width);
  return Math.max(Math.min(NARROWEST, filling), Math.min(APART * scale, Math.max(CLOSE * scale, filling)));
}
