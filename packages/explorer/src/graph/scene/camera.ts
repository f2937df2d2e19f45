/** The visible part of the graph: rows from a height on. All lanes are always visible. */
import { ROW, type Size } from './dimensions.js';
import { firstBetween, type Scene } from './scene.js';

export interface Camera {
  readonly y: number;
  /** Scales rows and texts, not the distance of lanes. */
  readonly scale: number;
}

const NEAREST = 1.6;
/** Fits a graph of 60,000 rows into a screen. */
const FURTHEST = 0.0002;

/** Pixels above and below the scene. */
const MARGIN = 16;

/** The nearest camera that shows no more than the scene and its margins. */
export function within({ y, scale }: Camera, rows: number, screen: Size): Camera {
  const lowest = rows * ROW - (screen.height - MARGIN) / scale;
  return { scale, y: Math.max(-MARGIN / scale, Math.min(y, lowest)) };
}

/** Zooms in or out around a fixed height of the screen. */
export function zoomed({ y, scale }: Camera, factor: number, at: number): Camera {
  const next = Math.min(NEAREST, Math.max(FURTHEST, scale * factor));
  return { scale: next, y: y + at / scale - at / next };
}

/** Shows the whole scene, without enlarging it. */
export function fitted(rows: number, screen: Size): Camera {
  const height = Math.max(1, screen.height - 2 * MARGIN);
  const scale = Math.max(FURTHEST, Math.min(1, height / Math.max(1, rows * ROW)));
  return { scale, y: -MARGIN / scale };
}

/** Moves the least distance that makes a row visible, with the row above and two below. */
export function showing({ y, scale }: Camera, row: number, screen: Size): Camera {
  const [from, to] = [(row - 1) * ROW, (row + 3) * ROW];
  const height = screen.height / scale;
  return { scale, y: from < y ? from : to > y + height ? to - height : y };
}

/** Moves a row to the middle. */
export const centered = ({ scale }: Camera, row: number, screen: Size): Camera => ({
  scale,
  y: (row + 0.5) * ROW - screen.height / scale / 2,
});

/** Keeps the selected segment, or else the first visible one, at its position on the screen when the scene changes. */
export function following(camera: Camera, was: Scene, scene: Scene, selectedId: string | null, screen: Size): Camera {
  const [first, last] = [camera.y / ROW, (camera.y + screen.height / camera.scale) / ROW];
  const selected = selectedId === null ? undefined : was.byId.get(selectedId);
  const row = selected === undefined ? -1 : (was.top[selected] ?? -1);
  const kept = selected !== undefined && first <= row && row <= last ? selected : firstBetween(was, first, last);
  const now = kept === null ? undefined : scene.byId.get(was.segments[kept]?.firstId ?? '');
  if (kept === null || now === undefined) return camera;
  return { ...camera, y: camera.y + ((scene.top[now] ?? 0) - (was.top[kept] ?? 0)) * ROW };
}
