/** Draws the visible part of a scene. Unreadable texts are omitted at small scales. */
import { ROW } from '../scene/dimensions.js';
import { LANE_COLORS } from '../scene/lane-colors.js';
import { rowOf } from '../scene/scene.js';
import { heightOf, textLeft, xOf, yOf, type Drawn } from './drawn.js';
import { addShape, drawShapes, NODE, type Shapes } from './shapes.js';
import { drawPills, drawTexts } from './texts.js';

/** The smallest scales with texts and with shapes. */
const READABLE = 0.45;
const VISIBLE = 0.12;
/** Below this scale, only the runs of lanes are drawn. */
const FAR = 0.05;

/** The number of names at scales without texts, and their distance. */
const MAX_NAMES = 30;
const NAME = { width: 128, height: 24 };

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
  for (const n of seen) drawTexts(canvas, drawn, n);
}

/** The background of the selected message's row, and a halo around its shape. */
function drawMarker(canvas: CanvasRenderingContext2D, drawn: Drawn): void {
  const { scene, camera, screen, colors, selected } = drawn;
  if (selected === null) return;
  const row = rowOf(scene, selected);
  const [x, y] = [xOf(drawn, scene.lane[selected.n] ?? 0), heightOf(drawn, selected.n, row)];
  canvas.fillStyle = colors.selected;
  canvas.beginPath();
  if (camera.scale >= READABLE) {
    const height = ROW * 0.76 * camera.scale;
    canvas.roundRect(8, y - height / 2, screen.width - 16, height, 7);
    canvas.fill();
    canvas.beginPath();
  }
  canvas.arc(x, y, Math.max(6, 2 * NODE * camera.scale), 0, 2 * Math.PI);
  canvas.fillStyle = colors.lanes[scene.color[selected.n] ?? 0] ?? '';
  canvas.globalAlpha = 0.3;
  canvas.fill();
  canvas.globalAlpha = 1;
}

function drawFar(canvas: CanvasRenderingContext2D, drawn: Drawn, first: number, last: number): void {
  const { scene, camera, colors } = drawn;
  const paths = Array.from({ length: LANE_COLORS }, () => new Path2D());
  for (const { lane, from, to, color } of scene.coverage.runs(first, last, 1 / camera.scale / ROW)) {
    const y = (from * ROW - camera.y) * camera.scale;
    paths[color]?.rect(xOf(drawn, lane) - 1, y, 2, (to - from) * ROW * camera.scale);
  }
  for (const [color, path] of paths.entries()) {
    canvas.fillStyle = colors.lanes[color] ?? '';
    canvas.fill(path);
  }
}

/** The labels of messages that do not overlap, by priority. */
function drawNames(canvas: CanvasRenderingContext2D, drawn: Drawn): void {
  const { scene, labels, camera, screen, colors } = drawn;
  const taken: { x: number; y: number }[] = [];
  for (const [n, { first, inside, last }] of labels) {
    const [label] = last ?? inside ?? first ?? [];
    const row = rowOf(scene, { n, at: last ? 'last' : inside ? 'inside' : 'first' });
    const [x, y] = [textLeft(drawn, row), yOf(camera, row)];
    if (label === undefined || y < 0 || y > screen.height) continue;
    // At the edge of the screen, a label is moved inside.
    const inView = Math.min(Math.max(y, NAME.height / 2), screen.height - NAME.height / 2);
    if (taken.some((at) => Math.abs(at.x - x) < NAME.width && Math.abs(at.y - inView) < NAME.height)) continue;
    drawPills(canvas, [label], { x, y: inView, end: Infinity }, colors.lanes[scene.color[n] ?? 0] ?? '', colors);
    if (taken.push({ x, y: inView }) === MAX_NAMES) return;
  }
}

/** Paths by color, those to the active head on top of the others, and wider. */
function drawLines(canvas: CanvasRenderingContext2D, drawn: Drawn, seen: Set<number>): void {
  const { scene, camera, colors } = drawn;
  const { lane, from, bottom, reach, parents, color, isActive, next } = scene;
  const paths = new Map<number, Path2D>();
  const active = new Map<number, Path2D>();
  const pathOf = (all: Map<number, Path2D>, n: number) => {
    const of = color[n] ?? 0;
    const path = all.get(of) ?? new Path2D();
    all.set(of, path);
    return path;
  };
  const y = (n: number, row: number) => heightOf(drawn, n, row);
  for (const n of seen) {
    const [x, row, parent] = [xOf(drawn, lane[n] ?? 0), from[n] ?? 0, parents[n] ?? -1];
    const path = pathOf(isActive[n] === 1 ? active : paths, n);
    const start = parent === -1 ? x : xOf(drawn, lane[parent] ?? 0);
    if (start !== x) {
      // Between the texts of two rows, from the drawn lane of its parent.
      path.moveTo(start, y(n, row - 0.95));
      path.bezierCurveTo(start, y(n, row - 0.45), x, y(n, row - 0.75), x, y(n, row - 0.1));
    } else path.moveTo(x, y(n, parent === -1 ? row : row - 1));
    path.lineTo(x, y(n, bottom[n] ?? row));
    const below = reach[n] ?? 0;
    if (below === bottom[n]) continue;
    // Down to where its last child leaves; the active path goes no further than its own child.
    const child = next[n] ?? -1;
    const isOnPath = isActive[n] === 1 && isActive[child] === 1;
    const last = isOnPath ? Math.min(below, (from[child] ?? 0) - 1) : (bottom[n] ?? 0);
    path.lineTo(x, y(n, last));
    const rest = pathOf(paths, n);
    rest.moveTo(x, y(n, last));
    rest.lineTo(x, y(n, below));
  }
  canvas.lineJoin = canvas.lineCap = 'round';
  // Lines keep a visible width.
  for (const [all, width] of [
    [paths, Math.max(1, 1.75 * camera.scale)],
    [active, Math.max(2, 3.25 * camera.scale)],
  ] as const) {
    canvas.lineWidth = width;
    for (const [n, path] of all) {
      canvas.strokeStyle = colors.lanes[n] ?? '';
      canvas.stroke(path);
    }
  }
}

/** Dotted lines from the sources of messages, in the colors of the sources, where either end is seen. */
function drawSources(canvas: CanvasRenderingContext2D, drawn: Drawn, seen: Set<number>): void {
  const { scene, camera, colors } = drawn;
  const paths: (Path2D | undefined)[] = [];
  const { lane, top, bottom, color } = scene;
  for (const [n, sources] of scene.sources) {
    const [x, row] = [xOf(drawn, lane[n] ?? 0), top[n] ?? 0];
    for (const source of sources) {
      if (!seen.has(n) && !seen.has(source)) continue;
      const path = (paths[color[source] ?? 0] ??= new Path2D());
      const [from, start] = [xOf(drawn, lane[source] ?? 0), bottom[source] ?? 0];
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

function drawNodes(canvas: CanvasRenderingContext2D, drawn: Drawn, seen: Set<number>): void {
  const { scene, camera, colors } = drawn;
  const radius = Math.max(1.75, NODE * camera.scale);
  const groups: (Shapes | undefined)[] = [];
  const gaps = new Path2D();
  for (const n of seen) {
    const segment = scene.segments[n];
    if (segment === undefined) continue;
    const shapes = (groups[scene.color[n] ?? 0] ??= { filled: new Path2D(), rings: new Path2D() });
    const [x, top, bottom] = [xOf(drawn, scene.lane[n] ?? 0), scene.top[n] ?? 0, scene.bottom[n] ?? 0];
    addShape(shapes, segment.firstRole, x, heightOf(drawn, n, top), radius);
    if (bottom > top) addShape(shapes, segment.lastRole, x, heightOf(drawn, n, bottom), radius);
    if (bottom - top < 2) continue;
    // Three dots instead of the line stand for the inner messages.
    const [y, dot] = [heightOf(drawn, n, top + 1), radius / 3];
    gaps.rect(x - radius, y - 1.6 * radius, 2 * radius, 3.2 * radius);
    for (const offset of [-1, 0, 1]) addShape(shapes, 'assistant', x, y + offset * radius, dot);
  }
  canvas.fillStyle = colors.surface;
  canvas.fill(gaps);
  for (const [n, shapes] of groups.entries()) {
    if (shapes !== undefined) drawShapes(canvas, shapes, colors.lanes[n] ?? '', colors.surface, radius);
  }
}
