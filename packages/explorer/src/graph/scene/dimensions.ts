/** Sizes of the graph: rows in its own units, which the camera scales; lanes in pixels. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The distance between two rows. */
export const ROW = 42;

/** The distance between two lanes; smaller where they would take more than a part of the screen. */
const LANE = 25;
const MAX_PART = 0.4;

/** The x of the first lane. */
const FIRST_LANE = 22;

/** The x of a lane. @param lanes their number */
export function xOfLane(lane: number, lanes: number, screen: Size): number {
  const across = Math.min(LANE, (screen.width * MAX_PART) / Math.max(1, lanes));
  return FIRST_LANE + lane * across;
}
