/** What of the picture is seen: which point is at the upper left, and how large a pixel of it is. */
import { LANE, ROW, type Size } from './dimensions.js';
import { firstBetween, type Scene } from './scene.js';

export interface Camera {
  readonly x: number;
  readonly y: number;
  /** Downwards: how large a row is. */
  readonly scale: number;
  /** From lane to lane, which come no nearer to each other than one can tell them apart. */
  readonly across: number;
}

const NEAREST = 2;
/** A picture of 60,000 rows fits on a screen. */
const FURTHEST = 0.0002;

/** How near lanes may come, of what they are apart at 1; nearer only where there is no room for as many. */
const NARROWEST = 0.16;

/** Looks from nearer or further, with what is at a point of the screen staying there. */
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

/** Shows all of it, and nothing larger than it is. */
export function fitted(world: Size, screen: Size): Camera {
  const all = Math.min(1, screen.width / Math.max(1, world.width), screen.height / Math.max(1, world.height));
  const scale = Math.max(FURTHEST, all);
  const across = acrossAt(scale, world, screen);
  return { scale, across, x: (world.width - screen.width / across) / 2, y: 0 };
}

/** Moves as little as has to be for a rectangle to be seen. */
export function showing(camera: Camera, place: Size & { x: number; y: number }, screen: Size): Camera {
  const along = (from: number, length: number, start: number, room: number) =>
    start < from ? start : start + room > from + length ? start + room - length : from;
  return {
    ...camera,
    x: along(camera.x, screen.width / camera.across, place.x, place.width),
    y: along(camera.y, screen.height / camera.scale, place.y, place.height),
  };
}

/** Keeps on its place of the screen what is selected, or else what begins first on it, when the scene changes around it. */
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

function acrossAt(scale: number, world: Size, screen: Size): number {
  return Math.max(scale, Math.min(NARROWEST, screen.width / Math.max(1, world.width)));
}
