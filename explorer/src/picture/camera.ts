/** What of the picture is seen: which point is at the upper left, and how large a pixel of it is. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const NEAREST = 2;
/** A picture of 60,000 rows fits on a screen. */
const FURTHEST = 0.0002;

/** Looks from nearer or further, with what is at a point of the screen staying there. */
export function zoomed({ x, y, scale }: Camera, factor: number, at: { x: number; y: number }): Camera {
  const next = Math.min(NEAREST, Math.max(FURTHEST, scale * factor));
  return { scale: next, x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next };
}

/** Shows all of it, and nothing larger than it is. */
export function fitted(world: Size, screen: Size): Camera {
  const scale = Math.min(1, screen.width / Math.max(1, world.width), screen.height / Math.max(1, world.height));
  return { scale: Math.max(FURTHEST, scale), x: (world.width - screen.width / scale) / 2, y: 0 };
}

/** Moves as little as has to be for a rectangle to be seen. */
export function showing(camera: Camera, place: Size & { x: number; y: number }, screen: Size): Camera {
  const along = (from: number, length: number, start: number, room: number) =>
    start < from ? start : start + room > from + length ? start + room - length : from;
  return {
    ...camera,
    x: along(camera.x, screen.width / camera.scale, place.x, place.width),
    y: along(camera.y, screen.height / camera.scale, place.y, place.height),
  };
}
