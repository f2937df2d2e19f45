/** Draws the visible part of a scene. Unreadable texts are omitted at small scales. */
import type { Camera } from '../scene/camera.js';
import { LANE, LINE, ROW, type Size } from '../scene/dimensions.js';
import type { Labels } from '../scene/labels.js';
import { LANE_COLORS } from '../scene/lane-colors.js';
import { lanesAt, rowOf, type Position, type Scene } from '../scene/scene.js';
import { addShape, drawShapes, NODE, type Shapes } from './shapes.js';
import { drawPills, drawTexts } from './texts.js';
import type { Colors } from './use-colors.js';

/** The smallest scales with texts and with shapes. */
const READABLE = 0.45;
const VISIBLE = 0.12;
/** Below this scale, only the runs of lanes are drawn. */
const FAR = 0.05;

/** The number of names at scales without texts, and their distance. */
const MAX_NAMES = 30;
const NAME = { width: 128, height: 24 };

export interface Drawn {
  scene: Scene;
  labels: Labels;
  camera: Camera;
  screen: Size;
  colors: Colors;
  selected: Position | null;
}

export function draw(canvas: CanvasRenderingContext2D, drawn: Drawn): void {
  const { scene, camera, screen } = drawn;
  const { scale } = camera;
  const ratio = canvas.canvas.width / screen.width;
  canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
  canvas.clearRect(0, 0, screen.width, screen.height);
  const [first, last] = [camera.y / ROW - 1, (camera.y + screen.height / scale) / ROW + 1];
  if (scale < FAR) {
    drawFar(canvas, drawn, first, last);
    drawMarker(canvas, drawn);
    return drawNames(canvas, drawn);
  }
  const seen = scene.between(first, last);
  drawMarker(canvas, drawn);
  drawLines(canvas, drawn, seen);
  if (scale >= VISIBLE) drawSources(canvas, drawn, seen);
  if (scale >= VISIBLE) drawNodes(canvas, drawn, seen);
  if (scale < READABLE) return drawNames(canvas, drawn);
  canvas.setTransform(ratio * scale, 0, 0, ratio * scale, -camera.x * camera.across * ratio, -camera.y * scale * ratio);
  for (const n of seen) drawTexts(canvas, drawn, n);
}

/** Screen positions: lines stay thin at small scales, at which lanes keep a minimum distance. */
export const xOf = ({ x, scale, across }: Camera, lane: number): number =>
  (lane * LANE - x) * across + LINE * Math.min(1, Math.max(scale, across));
export const yOf = ({ y, scale }: Camera, row: number): number => ((row + 0.5) * ROW - y) * scale;

/** The background of the selected message, and a halo around its shape. */
function drawMarker(canvas: CanvasRenderingContext2D, { scene, camera, colors, selected }: Drawn): void {
  if (selected === null) return;
  const [lane, row] = [scene.lane[selected.n] ?? 0, rowOf(scene, selected)];
  const [x, y] = [xOf(camera, lane), yOf(camera, row)];
  canvas.fillStyle = colors.selected;
  canvas.beginPath();
  if (camera.scale >= READABLE) {
    const height = ROW * 0.72 * camera.scale;
    const width = (lanesAt(scene, lane, row) * LANE - 6) * camera.across;
    canvas.roundRect(x - 14 * camera.scale, y - height / 2, width, height, 9 * camera.scale);
    canvas.fill();
    canvas.beginPath();
  }
  canvas.arc(x, y, Math.max(6, 2 * NODE * camera.scale), 0, 2 * Math.PI);
  canvas.fillStyle = colors.lanes[scene.color[selected.n] ?? 0] ?? '';
  canvas.globalAlpha = 0.3;
  canvas.fill();
  canvas.globalAlpha = 1;
}

function drawFar(
  canvas: CanvasRenderingContext2D,
  { scene, camera, colors }: Drawn,
  first: number,
  last: number,
): void {
  const paths = Array.from({ length: LANE_COLORS }, () => new Path2D());
  for (const { lane, from, to, color } of scene.coverage.runs(first, last, 1 / camera.scale / ROW)) {
    const width = lane === 0 ? 3 : 2;
    const y = (from * ROW - camera.y) * camera.scale;
    paths[color]?.rect(xOf(camera, lane) - width / 2, y, width, (to - from) * ROW * camera.scale);
  }
  for (const [color, path] of paths.entries()) {
    canvas.fillStyle = colors.lanes[color] ?? '';
    canvas.fill(path);
  }
}

/** The labels of messages that do not overlap, by priority. */
function drawNames(canvas: CanvasRenderingContext2D, { scene, labels, camera, screen, colors }: Drawn): void {
  const taken: { x: number; y: number }[] = [];
  for (const [n, { first, inside, last }] of labels) {
    const [label] = last ?? inside ?? first ?? [];
    const row = rowOf(scene, { n, at: last ? 'last' : inside ? 'inside' : 'first' });
    const [x, y] = [xOf(camera, scene.lane[n] ?? 0) + 2 * NODE, yOf(camera, row)];
    if (label === undefined || x < 0 || y < 0 || x > screen.width || y > screen.height) continue;
    // At the edge of the screen, a label is moved inside.
    const inView = Math.min(Math.max(y, NAME.height / 2), screen.height - NAME.height / 2);
    if (taken.some((at) => Math.abs(at.x - x) < NAME.width && Math.abs(at.y - inView) < NAME.height)) continue;
    drawPills(canvas, [label], { x, y: inView, end: Infinity }, colors.lanes[scene.color[n] ?? 0] ?? '', colors);
    if (taken.push({ x, y: inView }) === MAX_NAMES) return;
  }
}

/** One path per color, and one for the path to the active head, on top of the others. */
function drawLines(canvas: CanvasRenderingContext2D, { scene, camera, colors }: Drawn, seen: Set<number>): void {
  const { lane, top, reach, parents, color, isActive } = scene;
  const paths: (Path2D | undefined)[] = [];
  let active: Path2D | null = null;
  for (const n of seen) {
    const [at, row, parent] = [lane[n] ?? 0, top[n] ?? 0, parents[n] ?? -1];
    const path = isActive[n] === 1 ? (active ??= new Path2D()) : (paths[color[n] ?? 0] ??= new Path2D());
    const [x, from] = [xOf(camera, at), xOf(camera, parent === -1 ? at : (lane[parent] ?? 0))];
    const y = yOf(camera, row);
    if (from !== x) {
      // Between the texts of two rows, from the drawn lane of its parent.
      path.moveTo(from, yOf(camera, row - 0.8));
      path.bezierCurveTo(from, yOf(camera, row - 0.36), x, yOf(camera, row - 0.7), x, y);
    } else path.moveTo(x, yOf(camera, parent === -1 ? row : row - 1));
    path.lineTo(x, yOf(camera, reach[n] ?? row));
  }
  canvas.lineJoin = canvas.lineCap = 'round';
  // Lines keep a visible width.
  canvas.lineWidth = Math.max(1, 1.75 * camera.scale);
  for (const [n, path] of paths.entries()) {
    if (path === undefined) continue;
    canvas.strokeStyle = colors.lanes[n] ?? '';
    canvas.stroke(path);
  }
  if (active === null) return;
  canvas.lineWidth = Math.max(2, 3.25 * camera.scale);
  canvas.strokeStyle = colors.lanes[0] ?? '';
  canvas.stroke(active);
}

/** Dotted lines from the sources of messages, in the colors of the sources, where either end is seen. */
function drawSources(canvas: CanvasRenderingContext2D, { scene, camera, colors }: Drawn, seen: Set<number>): void {
  const paths: (Path2D | undefined)[] = [];
  const { lane, top, bottom, color } = scene;
  for (const [n, sources] of scene.sources) {
    const [x, row] = [xOf(camera, lane[n] ?? 0), top[n] ?? 0];
    for (const source of sources) {
      if (!seen.has(n) && !seen.has(source)) continue;
      const path = (paths[color[source] ?? 0] ??= new Path2D());
      const [from, start] = [xOf(camera, lane[source] ?? 0), bottom[source] ?? 0];
      const [way, rows] = [start < row ? -1 : 1, Math.abs(start - row)];
      // Beside the lane of the source, and between the texts of two rows to the message.
      const beside = from - 1.1 * NODE * camera.scale;
      path.moveTo(from, yOf(camera, start));
      path.lineTo(beside, yOf(camera, start - way * Math.min(0.25, rows / 2)));
      path.lineTo(beside, yOf(camera, row + way * Math.min(0.9, rows)));
      path.bezierCurveTo(beside, yOf(camera, row + way * 0.36), x, yOf(camera, row + way * 0.7), x, yOf(camera, row));
    }
  }
  canvas.lineCap = 'round';
  canvas.lineWidth = Math.max(1.25, 2 * camera.scale);
  canvas.setLineDash([0, 3 * canvas.lineWidth]);
  for (const [n, path] of paths.entries()) {
    if (path === undefined) continue;
    canvas.strokeStyle = colors.lanes[n] ?? '';
    canvas.stroke(path);
  }
  canvas.setLineDash([]);
}

function drawNodes(canvas: CanvasRenderingContext2D, { scene, camera, colors }: Drawn, seen: Set<number>): void {
  const radius = Math.max(1.75, NODE * camera.scale);
  const groups: (Shapes | undefined)[] = [];
  const gaps = new Path2D();
  for (const n of seen) {
    const segment = scene.segments[n];
    if (segment === undefined) continue;
    const shapes = (groups[scene.color[n] ?? 0] ??= { filled: new Path2D(), rings: new Path2D() });
    const [x, top, bottom] = [xOf(camera, scene.lane[n] ?? 0), scene.top[n] ?? 0, scene.bottom[n] ?? 0];
    addShape(shapes, segment.firstRole, x, yOf(camera, top), radius);
    if (bottom > top) addShape(shapes, segment.lastRole, x, yOf(camera, bottom), radius);
    if (bottom - top < 2) continue;
    // Three dots instead of the line stand for the inner messages.
    const [y, dot] = [yOf(camera, top + 1), radius / 3];
    gaps.rect(x - radius, y - 1.6 * radius, 2 * radius, 3.2 * radius);
    for (const offset of [-1, 0, 1]) addShape(shapes, 'assistant', x, y + offset * radius, dot);
  }
  canvas.fillStyle = colors.surface;
  canvas.fill(gaps);
  for (const [n, shapes] of groups.entries()) {
    if (shapes !== undefined) drawShapes(canvas, shapes, colors.lanes[n] ?? '', colors.surface, radius);
  }
}
