/** Draws what is seen of a scene. What is not seen costs nothing, and from far away what cannot be read is left out. */
import type { Camera, Size } from './camera.js';
import type { Scene } from './scene.js';
import { words } from '../words.js';

/** How far it is from lane to lane and from row to row. */
export const LANE = 230;
export const ROW = 40;

/** Where the line of a lane is, and where a text ends. */
const LINE = 14;
const TEXT = 28;
/** How round an edge turns. */
const BEND = 8;

/** From which size on there is text, and dots. */
const READABLE = 0.45;
const VISIBLE = 0.12;
/** Below it, a row is so small that only which lanes go on shows. */
const FAR = 0.05;

export interface Colors {
  text: string;
  faint: string;
  line: string;
  main: string;
  mark: string;
  markText: string;
  selected: string;
}

/** What stands at a message: names of branches and checkpoints. */
export type Labels = ReadonlyMap<string, readonly { text: string; isActive: boolean }[]>;

export interface Drawn {
  scene: Scene;
  labels: Labels;
  camera: Camera;
  screen: Size;
  colors: Colors;
  selected: number | null;
}

export function draw(canvas: CanvasRenderingContext2D, drawn: Drawn): void {
  const { scene, camera, screen, colors } = drawn;
  const { scale } = camera;
  const ratio = canvas.canvas.width / screen.width;
  canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
  canvas.clearRect(0, 0, screen.width, screen.height);
  canvas.setTransform(ratio * scale, 0, 0, ratio * scale, -camera.x * scale * ratio, -camera.y * scale * ratio);
  const [first, last] = [camera.y / ROW - 1, (camera.y + screen.height / scale) / ROW + 1];
  if (scale < FAR) return drawFar(canvas, drawn, first, last);
  const seen = scene.between(first, last);
  drawLines(canvas, scene, seen, colors, scale);
  if (scale >= VISIBLE) for (const n of seen) drawSegment(canvas, drawn, n);
}

const xOf = (lane: number): number => lane * LANE + LINE;
const yOf = (row: number): number => (row + 0.5) * ROW;

function drawFar(canvas: CanvasRenderingContext2D, drawn: Drawn, first: number, last: number): void {
  const { scene, camera, colors } = drawn;
  const pixel = 1 / camera.scale;
  for (const { lane, from, to } of scene.coverage.runs(first, last, pixel / ROW)) {
    canvas.fillStyle = lane === 0 ? colors.main : colors.line;
    canvas.fillRect(xOf(lane) - pixel, from * ROW, 2 * pixel, (to - from) * ROW);
  }
}

/** Two paths, however many there are: the main line and the others. */
function drawLines(
  canvas: CanvasRenderingContext2D,
  scene: Scene,
  seen: ReadonlySet<number>,
  colors: Colors,
  scale: number,
): void {
  const { lane, top, reach, parents } = scene;
  for (const isMain of [false, true]) {
    canvas.beginPath();
    for (const n of seen) {
      const [x, row, parent] = [lane[n] ?? 0, top[n] ?? 0, parents[n] ?? -1];
      if ((x === 0) !== isMain) continue;
      const from = parent === -1 ? x : (lane[parent] ?? 0);
      canvas.moveTo(xOf(from), yOf(parent === -1 ? row : row - 1));
      if (from !== x) {
        // Between the texts of two rows.
        const way = yOf(row - 0.5);
        canvas.lineTo(xOf(from), way - BEND);
        canvas.quadraticCurveTo(xOf(from), way, xOf(from) + BEND, way);
        canvas.lineTo(xOf(x) - BEND, way);
        canvas.quadraticCurveTo(xOf(x), way, xOf(x), way + BEND);
      }
      canvas.lineTo(xOf(x), yOf(row));
      canvas.lineTo(xOf(x), yOf(reach[n] ?? row));
    }
    canvas.strokeStyle = isMain ? colors.main : colors.line;
    // A line is never thinner than one can see.
    canvas.lineWidth = Math.max(2, (isMain ? 1.5 : 0.75) / scale);
    canvas.stroke();
  }
}

function drawSegment(canvas: CanvasRenderingContext2D, drawn: Drawn, n: number): void {
  const { scene, labels, camera, colors, selected } = drawn;
  const segment = scene.segments[n];
  if (segment === undefined) return;
  const [lane, top, bottom] = [scene.lane[n] ?? 0, scene.top[n] ?? 0, scene.bottom[n] ?? 0];
  if (n === selected) {
    canvas.fillStyle = colors.selected;
    canvas.fillRect(lane * LANE, top * ROW + 2, LANE - 10, (bottom - top + 1) * ROW - 4);
  }
  const ends = [{ row: top, id: segment.firstId, role: segment.firstRole, content: segment.firstContent }];
  if (bottom > top)
    ends.push({ row: bottom, id: segment.lastId, role: segment.lastRole, content: segment.lastContent });
  for (const { row, id, role, content } of ends) {
    canvas.beginPath();
    canvas.arc(xOf(lane), yOf(row), 5, 0, 2 * Math.PI);
    canvas.fillStyle = lane === 0 ? colors.main : colors.line;
    canvas.fill();
    if (camera.scale < READABLE) continue;
    const left = drawLabels(canvas, labels.get(id) ?? [], lane * LANE + TEXT, yOf(row) - 9, colors);
    canvas.fillStyle = colors.faint;
    canvas.font = '11px system-ui, sans-serif';
    canvas.fillText(role.slice(0, 20), left, yOf(row) - 5);
    canvas.fillStyle = colors.text;
    canvas.font = '13px system-ui, sans-serif';
    canvas.fillText(content.slice(0, 30), lane * LANE + TEXT, yOf(row) + 11, LANE - TEXT - 12);
  }
  if (bottom - top > 1 && camera.scale >= READABLE) {
    canvas.fillStyle = colors.faint;
    canvas.font = 'italic 12px system-ui, sans-serif';
    canvas.fillText(words.between(segment.length - 2), lane * LANE + TEXT, yOf(top + 1) + 4);
  }
}

/** @returns where what follows begins */
function drawLabels(
  canvas: CanvasRenderingContext2D,
  labels: readonly { text: string; isActive: boolean }[],
  left: number,
  middle: number,
  colors: Colors,
): number {
  let x = left;
  canvas.font = '600 11px system-ui, sans-serif';
  for (const { text, isActive } of labels.slice(0, 2)) {
    const shown = text.length > 16 ? `${text.slice(0, 15)}…` : text;
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
