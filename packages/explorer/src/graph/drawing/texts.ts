/** Draws the texts of messages, and the pills of branches, checkpoints and drafts. */
import { counted } from '../../words.js';
import { chipTextOf, type Label } from '../scene/labels.js';
import type { Position } from '../scene/scene.js';
import { heightOf, textLeft, type Drawn } from './drawn.js';
import type { Colors } from './use-colors.js';

/** The margin after a text. */
const MARGIN = 14;

const PILL = { height: 20, padding: 9, margin: 6, minWidth: 16, maxWidth: 132 };
/** The smallest rest of a row in which the text after a pill is drawn. */
const MIN_TEXT_WIDTH = 40;
const MAX_PILLS = 3;
const HERE = 'You are here';
/** Its width with a margin. */
const HERE_WIDTH = 88;
/** The height of a bookmark; the width of the notes at the end of a row. */
const BOOKMARK = 11;
const NOTE = { maxWidth: 132, part: 0.4, margin: 10 };

/** Draws the texts of a segment's rows, from its lanes to the edge of the screen. @param n the segment */
export function drawTexts(canvas: CanvasRenderingContext2D, drawn: Drawn, n: number): void {
  const { scene, labels, camera, screen, colors } = drawn;
  const segment = scene.segments[n];
  if (segment === undefined) return;
  const [top, bottom] = [scene.top[n] ?? 0, scene.bottom[n] ?? 0];
  const color = colors.lanes[scene.color[n] ?? 0] ?? '';
  const { scale } = camera;
  const row = (at: number, placed: readonly Label[], content: string, style: string) => {
    const [left, y] = [textLeft(drawn, at), heightOf(drawn, n, at)];
    const [marks, pills] = [placed.filter(isCheckpoint), placed.filter((label) => !isCheckpoint(label))];
    const isHere = pills.some(({ kind }) => kind === 'active');
    const end = drawNotes(canvas, drawn, marks, { left, end: screen.width - MARGIN, y });
    const x = drawPills(canvas, pills.slice(0, MAX_PILLS), { x: left, y, end, scale }, color, colors);
    if (x > left && end - x < MIN_TEXT_WIDTH) return;
    canvas.fillStyle = style;
    canvas.font = `${13 * scale}px ${colors.font}`;
    const here = isHere ? HERE_WIDTH * scale : 0;
    const shown = cut(canvas, content, end - x - here);
    canvas.fillText(shown, x, y + 4.5 * scale);
    if (!isHere) return;
    const after = x + canvas.measureText(shown).width + NOTE.margin * scale;
    canvas.font = `500 ${12 * scale}px ${colors.font}`;
    canvas.fillStyle = colors.muted;
    canvas.fillText(HERE, after, y + 4.5 * scale);
  };
  const at = (place: Position['at']) => labels.get(n)?.[place] ?? [];
  const { length, firstId, firstContent, lastId, lastContent, collapsedCount } = segment;
  const textOf = (id: string, content: string) => drawn.texts.get(id) ?? content;
  if (collapsedCount !== undefined) {
    const count: Label = { text: `▸ ${counted(collapsedCount, 'message')}`, kind: 'branch' };
    row(top, [count, ...at('first'), ...at('inside'), ...at('last')], firstContent, colors.muted);
  } else row(top, at('first'), textOf(firstId, firstContent), colors.text);
  if (bottom > top) row(bottom, at('last'), textOf(lastId, lastContent), colors.text);
  if (bottom - top > 1) row(top + 1, at('inside'), `${(length - 2).toLocaleString('en')} more`, colors.muted);
}

const isCheckpoint = ({ kind }: Label): boolean => kind === 'checkpoint';

/**
 * Draws the checkpoints of a row before its end.
 * @returns the end of what is left of the row
 */
function drawNotes(
  canvas: CanvasRenderingContext2D,
  { camera: { scale }, colors }: Drawn,
  checkpoints: readonly Label[],
  { left, end, y }: { left: number; end: number; y: number },
): number {
  let right = end;
  const icon = (BOOKMARK + 2) * scale;
  for (const { text } of checkpoints) {
    canvas.font = `500 ${12 * scale}px ${colors.font}`;
    const shown = cut(canvas, text, NOTE.maxWidth * scale);
    const start = right - canvas.measureText(shown).width - icon;
    // The text of the message has the larger part.
    if (start < left + (end - left) * (1 - NOTE.part)) break;
    canvas.fillStyle = canvas.strokeStyle = colors.checkpoint;
    canvas.fillText(shown, start + icon, y + 4.5 * scale);
    drawBookmark(canvas, start, y, scale);
    right = start - NOTE.margin * scale;
  }
  return right;
}

function drawBookmark(canvas: CanvasRenderingContext2D, x: number, y: number, scale: number): void {
  const [half, width] = [(BOOKMARK / 2) * scale, BOOKMARK * 0.7 * scale];
  canvas.beginPath();
  canvas.moveTo(x, y - half);
  canvas.lineTo(x + width, y - half);
  canvas.lineTo(x + width, y + half);
  canvas.lineTo(x + width / 2, y + half * 0.4);
  canvas.lineTo(x, y + half);
  canvas.closePath();
  canvas.lineWidth = 1.25 * scale;
  canvas.stroke();
}

const colorOf = ({ kind }: Label, lane: string, { checkpoint }: Colors) => (kind === 'checkpoint' ? checkpoint : lane);

/**
 * Draws pills beside each other.
 * @param end no pill reaches beyond it
 * @param lane the color of the lane
 * @returns the position after the pills
 */
export function drawPills(
  canvas: CanvasRenderingContext2D,
  labels: readonly Label[],
  { x, y, end, scale = 1 }: { x: number; y: number; end: number; scale?: number },
  lane: string,
  colors: Colors,
): number {
  let left = x;
  for (const label of labels) {
    const color = colorOf(label, lane, colors);
    const isDraft = label.kind === 'draft';
    const padding = isDraft ? 0 : PILL.padding * scale;
    const available = Math.min(PILL.maxWidth * scale, end - left) - 2 * padding;
    if (available < PILL.minWidth) break;
    canvas.font = `${isDraft ? `italic 400 ${12 * scale}px` : `600 ${11.5 * scale}px`} ${colors.font}`;
    const shown = cut(canvas, chipTextOf(label), available);
    const width = canvas.measureText(shown).width + 2 * padding;
    if (!isDraft) {
      canvas.beginPath();
      const height = PILL.height * scale;
      canvas.roundRect(left - 2, y - height / 2, width, height, height / 2);
      // Lines below a pill must not cross its text.
      canvas.fillStyle = colors.surface;
      canvas.fill();
      canvas.fillStyle = color;
      canvas.globalAlpha = label.kind === 'active' ? 0.2 : 0.13;
      canvas.fill();
      if (label.kind === 'active') {
        // The row behind it can have the same color.
        canvas.globalAlpha = 0.6;
        canvas.strokeStyle = color;
        canvas.lineWidth = 1;
        canvas.stroke();
      }
      canvas.globalAlpha = 1;
    }
    canvas.fillStyle = color;
    canvas.fillText(shown, left - 2 + padding, y + 4 * scale);
    left += width + PILL.margin * scale;
  }
  return left;
}

const MAX_CUTS = 5_000;
const cuts = new Map<string, string>();

/** The longest beginning of a text that fits. */
function cut(canvas: CanvasRenderingContext2D, text: string, available: number): string {
  const key = `${canvas.font} ${Math.round(available)} ${text}`;
  const known = cuts.get(key);
  if (known !== undefined) return known;
  const { width } = canvas.measureText(text);
  let shown = text;
  if (width > available) {
    const letters = [...text];
    let count = Math.floor((letters.length * available) / width);
    do {
      count--;
      shown = `${letters.slice(0, Math.max(0, count)).join('').replace(/…$/, '').trimEnd()}…`;
      // The first letters can be wider than the others.
    } while (count > 0 && canvas.measureText(shown).width > available);
  }
  if (cuts.size >= MAX_CUTS) cuts.clear();
  cuts.set(key, shown);
  return shown;
}
