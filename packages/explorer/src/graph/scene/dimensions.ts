/** Sizes of the graph in its own units, which the camera scales to pixels. */
import type { Scene } from './scene.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Distance between two lanes. */
export const LANE = 190;
/** Distance between two rows. */
export const ROW = 44;

/** The line's offset in its lane. */
export const LINE = 18;

/** Size of a whole scene; the texts of the last lane take a lane of their own. */
export const worldOf = ({ width, height }: Scene): Size => ({ width: (width + 1) * LANE, height: height * ROW });
