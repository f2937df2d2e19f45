/** The parts of a drawing, and positions on the screen. */
import type { Camera } from '../scene/camera.js';
import { ROW, xOfLane, type Size } from '../scene/dimensions.js';
import type { Labels } from '../scene/labels.js';
import type { Position, Scene } from '../scene/scene.js';
import type { Shift } from '../use-motion.js';
import type { Colors } from './use-colors.js';

export interface Drawn {
  scene: Scene;
  labels: Labels;
  /** By the ids of messages, longer beginnings than those of the outline. */
  texts: ReadonlyMap<string, string>;
  camera: Camera;
  screen: Size;
  colors: Colors;
  selected: Position | null;
  /** While segments move. */
  shift: Shift | null;
}

/** The distance of a text to the last lane in use in its row. */
const TEXT = 18;

type OnScreen = Pick<Drawn, 'scene' | 'screen'>;

export const xOf = ({ scene, screen }: OnScreen, lane: number): number => xOfLane(lane, scene.width, screen);
export const yOf = ({ y, scale }: Camera, row: number): number => ((row + 0.5) * ROW - y) * scale;
/** The y of a row of a segment, also while it moves. */
export const heightOf = ({ camera, shift }: Pick<Drawn, 'camera' | 'shift'>, n: number, row: number): number =>
  yOf(camera, row + (shift?.[n] ?? 0));

/** The x of a row's text. */
export const textLeft = (drawn: OnScreen, row: number): number => xOf(drawn, drawn.scene.lastLane[row] ?? 0) + TEXT;
