/** Draws the texts of messages, and the pills of branches, checkpoints and drafts. */
import { counted } from '../../words.js';
import type { Camera } from '../scene/camera.js';
import { LANE, LINE, ROW } from '../scene/dimensions.js';
import type { Label, Labels } from '../scene/labels.js';
import { lanesAt, type Position, type Scene } from '../scene/scene.js';
import { NODE } from './shapes.js';
import type { Colors } from './use-colors.js';

/** The offset of a text in its lane, and the margin after it. */
const TEXT = LINE + 3 * NODE;
const MARGIN = 14;

const PILL = { height: 20, padding: 9, margin: 6, minWidth: 16, maxWidth: 132 };
/** The smallest rest of a row in which the text after a pill is drawn. */
const MIN_TEXT_WIDTH = 40;
const MAX_PILLS = 2;
/** The distance of checkpoints below their message. */
const BELOW = 21;

/** Draws in units of the scene, with the distance of lanes of the camera. @param n the segment */
export function drawTexts(
  canvas: CanvasRenderingContext2D,
  { scene, labels, camera, colors }: { scene: Scene; labels: Labels; camera: Camera; colors: Colors },
  n: number,
): void {
  const segment = scene.segments[n];
  if (segment === undefined) return;
  const [lane, top, bottom] = [scene.lane[n] ?? 0, scene.top[n] ?? 0, scene.bottom[n] ?? 0];
  const width = (LANE * camera.across) / camera.scale;
  const left = lane * width + TEXT;
  const color = colors.lanes[scene.color[n] ?? 0] ?? '';
  const row = (at: number, placed: readonly Label[], content: string, style: string) => {
    const end = (lane + lanesAt(scene, lane, at)) * width - MARGIN;
    const middle = (at + 0.5) * ROW;
    const isBelow = ({ kind }: Label) => kind === 'checkpoint';
    drawPills(canvas, placed.filter(isBelow).slice(0, MAX_PILLS), { x: left, y: middle + BELOW, end }, color, colors);
    const beside = placed.filter((label) => !isBelow(label)).slice(0, MAX_PILLS);
    const x = drawPills(canvas, beside, { x: left, y: middle, end }, color, colors);
    if (x > left && end - x < MIN_TEXT_WIDTH) return;
    canvas.fillStyle = style;
    canvas.font = `13px ${colors.font}`;
    canvas.fillText(cut(canvas, content, end - x), x, middle + 4.5);
  };
  const at = (place: Position['at']) => labels.get(n)?.[place] ?? [];
  const { length, firstContent, lastContent, collapsedCount } = segment;
  if (collapsedCount !== undefined) {
    const count: Label = { text: `▸ ${counted(collapsedCount, 'message')}`, kind: 'branch' };
    row(top, [count, ...at('first'), ...at('inside'), ...at('last')], firstContent, colors.muted);
  } else row(top, at('first'), firstContent, colors.text);
  if (bottom > top) row(bottom, at('last'), lastContent, colors.text);
  if (bottom - top > 1) row(top + 1, at('inside'), `${(length - 2).toLocaleString('en')} more`, colors.muted);
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
  { x, y, end }: { x: number; y: number; end: number },
  lane: string,
  colors: Colors,
): number {
  let left = x;
  for (const label of labels) {
    const color = colorOf(label, lane, colors);
    const isDraft = label.kind === 'draft';
    const padding = isDraft ? 0 : PILL.padding;
    const available = Math.min(PILL.maxWidth, end - left) - 2 * padding;
    if (available < PILL.minWidth) break;
    canvas.font = `${isDraft ? 'italic 400 12px' : '600 11.5px'} ${colors.font}`;
    const shown = cut(canvas, label.text, available);
    const width = canvas.measureText(shown).width + 2 * padding;
    if (!isDraft) {
      canvas.beginPath();
      canvas.roundRect(left - 2, y - PILL.height / 2, width, PILL.height, PILL.height / 2);
      // Lines below a pill must not cross its text.
      canvas.fillStyle = colors.surface;
      canvas.fill();
      canvas.fillStyle = color;
      canvas.globalAlpha = label.kind === 'active' ? 0.2 : 0.13;
      canvas.fill();
      canvas.globalAlpha = 1;
    }
    canvas.fillStyle = color;
    canvas.fillText(shown, left - 2 + padding, y + 4);
    left += width + PILL.margin;
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
    const count = Math.max(0, Math.floor((letters.length * available) / width) - 1);
    shown = `${letters.slice(0, count).join('').replace(/…$/, '').trimEnd()}…`;
  }
  if (cuts.size >= MAX_CUTS) cuts.clear();
  cuts.set(key, shown);
  return shown;
}
