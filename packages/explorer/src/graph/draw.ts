/** Draws the visible part of a scene. Unreadable texts are omitted at small scales. */
import type { Camera } from './camera.js';
import { LANE, ROW, type Size } from './dimensions.js';
import type { Label, Labels } from './labels.js';
import { lanesAt, type Scene } from './scene.js';
import { words } from '../words.js';

/** The line's offset in its lane, and the margin after a text. */
const LINE = 14;
const TEXT = 28;
/** The radius of an edge's curve. */
const BEND = 8;

/** The smallest scales with texts and with dots. */
const READABLE = 0.45;
const VISIBLE = 0.12;
/** Below this scale, only the runs of lanes are drawn. */
const FAR = 0.05;

/** The number of names at scales without texts, and their distance. */
const MAX_NAMES = 30;
const NAME = { width: 128, height: 20 };

export interface Colors {
  text: string;
  faint: string;
  line: string;
  main: string;
  mark: string;
  markText: string;
  page: string;
  selected: string;
}

export interface Drawn {
  scene: Scene;
  /** By segment, the labels at its first message, at its last, and in between. */
  labels: Labels;
  camera: Camera;
  screen: Size;
  colors: Colors;
  selected: number | null;
}

export function draw(canvas: CanvasRenderingContext2D, drawn: Drawn): void {
  const { scene, camera, screen, colors, selected } = drawn;
  const { scale, across } = camera;
  const ratio = canvas.canvas.width / screen.width;
  canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
  canvas.clearRect(0, 0, screen.width, screen.height);
  const [first, last] = [camera.y / ROW - 1, (camera.y + screen.height / scale) / ROW + 1];
  if (scale < FAR) {
    drawFar(canvas, drawn, first, last);
    return drawNames(canvas, drawn);
  }
  const seen = scene.between(first, last);
  if (selected !== null && seen.has(selected)) {
    const [lane, top, bottom] = [scene.lane[selected] ?? 0, scene.top[selected] ?? 0, scene.bottom[selected] ?? 0];
    canvas.fillStyle = colors.selected;
    const x = (lane * LANE - camera.x) * across;
    const [y, end] = [yOf(camera, top - 0.45), yOf(camera, bottom + 0.45)];
    canvas.beginPath();
    canvas.roundRect(
      x,
      y,
      (LANE * Math.min(...[top, bottom].map((row) => lanesAt(scene, lane, row))) - 10) * across,
      end - y,
      6 * scale,
    );
    canvas.fill();
  }
  drawLines(canvas, drawn, seen);
  if (scale >= VISIBLE) drawDots(canvas, drawn, seen);
  if (scale < READABLE) return drawNames(canvas, drawn);
  canvas.setTransform(ratio * scale, 0, 0, ratio * scale, -camera.x * scale * ratio, -camera.y * scale * ratio);
  for (const n of seen) drawTexts(canvas, drawn, n);
}

/** Screen positions: lines stay thin at small scales, at which lanes keep a minimum distance. */
const xOf = ({ x, across }: Camera, lane: number): number => (lane * LANE - x) * across + LINE * Math.min(1, across);
const yOf = ({ y, scale }: Camera, row: number): number => ((row + 0.5) * ROW - y) * scale;

function drawFar(
  canvas: CanvasRenderingContext2D,
  { scene, camera, colors }: Drawn,
  first: number,
  last: number,
): void {
  for (const { lane, from, to } of scene.coverage.runs(first, last, 1 / camera.scale / ROW)) {
    canvas.fillStyle = lane === 0 ? colors.main : colors.line;
    const y = (from * ROW - camera.y) * camera.scale;
    canvas.fillRect(xOf(camera, lane) - 1, y, 2, (to - from) * ROW * camera.scale);
  }
}

/** The labels of messages that do not overlap, by priority. */
function drawNames(canvas: CanvasRenderingContext2D, { scene, labels, camera, screen, colors }: Drawn): void {
  const taken: { x: number; y: number }[] = [];
  for (const [n, { first, inside, last }] of labels) {
    const [label] = last ?? inside ?? first ?? [];
    const [top, bottom] = [scene.top[n] ?? 0, scene.bottom[n] ?? 0];
    const row = last !== undefined ? bottom : inside !== undefined ? (top + bottom) / 2 : top;
    const [x, y] = [xOf(camera, scene.lane[n] ?? 0) + BEND, yOf(camera, row)];
    if (label === undefined || x < 0 || y < 0 || x > screen.width || y > screen.height) continue;
    if (taken.some((at) => Math.abs(at.x - x) < NAME.width && Math.abs(at.y - y) < NAME.height)) continue;
    // At the edge of the screen, a label is moved inside.
    drawLabels(canvas, [label], x, Math.min(Math.max(y, NAME.height / 2), screen.height - NAME.height / 2), colors);
    if (taken.push({ x, y }) === MAX_NAMES) return;
  }
}

/** Two paths for all lines: the main line on top of the others. */
function drawLines(canvas: CanvasRenderingContext2D, drawn: Drawn, seen: ReadonlySet<number>): void {
  const { scene, camera, colors } = drawn;
  const { lane, top, reach, parents } = scene;
  const bend = BEND * camera.scale;
  for (const isMain of [false, true]) {
    canvas.beginPath();
    for (const n of seen) {
      const [at, row, parent] = [lane[n] ?? 0, top[n] ?? 0, parents[n] ?? -1];
      if ((at === 0) !== isMain) continue;
      const [x, from] = [xOf(camera, at), xOf(camera, parent === -1 ? at : (lane[parent] ?? 0))];
      if (from !== x) {
        // Between the texts of two rows, from the drawn lane of its parent.
        const way = yOf(camera, row - 0.5);
        canvas.moveTo(from, way - bend);
        canvas.quadraticCurveTo(from, way, from + bend, way);
        canvas.lineTo(x - bend, way);
        canvas.quadraticCurveTo(x, way, x, way + bend);
      } else canvas.moveTo(x, yOf(camera, parent === -1 ? row : row - 1));
      canvas.lineTo(x, yOf(camera, reach[n] ?? row));
    }
    canvas.strokeStyle = isMain ? colors.main : colors.line;
    // Lines keep a visible width.
    canvas.lineWidth = Math.max(isMain ? 1.5 : 1, 2 * camera.scale);
    canvas.stroke();
  }
}

/** User messages are rings. */
function drawDots(canvas: CanvasRenderingContext2D, { scene, camera, colors }: Drawn, seen: ReadonlySet<number>): void {
  const size = Math.max(1.5, 5 * camera.scale);
  for (const isMain of [false, true]) {
    const [dots, rings] = [new Path2D(), new Path2D()];
    for (const n of seen) {
      const [at, top, bottom, segment] = [
        scene.lane[n] ?? 0,
        scene.top[n] ?? 0,
        scene.bottom[n] ?? 0,
        scene.segments[n],
      ];
      if ((at === 0) !== isMain) continue;
      const x = xOf(camera, at);
      for (const [row, role] of [
        [top, segment?.firstRole],
        [bottom, segment?.lastRole],
      ] as const) {
        const path = role === 'user' ? rings : dots;
        path.moveTo(x + size, yOf(camera, row));
        path.arc(x, yOf(camera, row), size, 0, 2 * Math.PI);
      }
    }
    canvas.fillStyle = canvas.strokeStyle = isMain ? colors.main : colors.line;
    canvas.fill(dots);
    canvas.fillStyle = colors.page;
    canvas.fill(rings);
    canvas.stroke(rings);
  }
}

function drawTexts(canvas: CanvasRenderingContext2D, { scene, labels, colors }: Drawn, n: number): void {
  const segment = scene.segments[n];
  if (segment === undefined) return;
  const [lane, top, bottom] = [scene.lane[n] ?? 0, scene.top[n] ?? 0, scene.bottom[n] ?? 0];
  const x = lane * LANE + TEXT;
  const middle = (row: number) => (row + 0.5) * ROW;
  const { first = [], inside = [], last = [] } = labels.get(n) ?? {};
  const ends = [{ row: top, of: first, role: segment.firstRole, content: segment.firstContent }];
  if (bottom > top) ends.push({ row: bottom, of: last, role: segment.lastRole, content: segment.lastContent });
  for (const { row, of, role, content } of ends) {
    const end = (lane + lanesAt(scene, lane, row)) * LANE - 12;
    const left = drawLabels(canvas, of, x, middle(row) - 9, colors);
    canvas.fillStyle = colors.faint;
    canvas.font = '11px system-ui, sans-serif';
    canvas.fillText(cut(canvas, role, end - left), left, middle(row) - 5);
    canvas.fillStyle = colors.text;
    canvas.font = '13px system-ui, sans-serif';
    canvas.fillText(cut(canvas, content, end - x), x, middle(row) + 11);
  }
  if (bottom - top > 1) {
    const left = drawLabels(canvas, inside, x, middle(top + 1), colors);
    canvas.fillStyle = colors.faint;
    canvas.font = 'italic 12px system-ui, sans-serif';
    canvas.fillText(words.between(segment.length - 2), left, middle(top + 1) + 4);
  }
}

/** The longest beginning of a text that fits. */
function cut(canvas: CanvasRenderingContext2D, text: string, available: number): string {
  const { width } = canvas.measureText(text);
  if (width <= available) return text;
  const letters = [...text];
  return `${letters
    .slice(0, Math.max(0, Math.floor((letters.length * available) / width) - 1))
    .join('')
    .trimEnd()}…`;
}

/** @returns the position after the text */
function drawLabels(
  canvas: CanvasRenderingContext2D,
  labels: readonly Label[],
  left: number,
  middle: number,
  colors: Colors,
): number {
  let x = left;
  canvas.font = '600 11px system-ui, sans-serif';
  for (const { text, isActive } of labels.slice(0, 2)) {
    const shown = cut(canvas, text, 110);
    const width = canvas.measureText(shown).width + 10;
    canvas.fillStyle = isActive ? colors.main : colors.mark;
    canvas.beginPath();
    canvas.roundRect(x, middle - 8, width, 15, 7);
    canvas.fill();
    canvas.fillStyle = colors.markText;
    canvas.fillText(shown, x + 5, middle + 4);
    x += width + 4;
  }
  return x;
}
