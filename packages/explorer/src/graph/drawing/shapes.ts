/** The shapes of messages: a ring for users, a disc for assistants, a square for systems, a diamond for tools. */

/** The radius of a message at scale 1. */
export const NODE = 5.5;

/** The width of a ring's line, relative to its radius. */
const RING = 0.38;

/** Paths of one color: filled shapes, and rings around the color of the page. */
export interface Shapes {
  filled: Path2D;
  rings: Path2D;
}

export function addShape({ filled, rings }: Shapes, role: string, x: number, y: number, radius: number): void {
  if (role === 'user') {
    const inner = radius * (1 - RING / 2);
    rings.moveTo(x + inner, y);
    rings.arc(x, y, inner, 0, 2 * Math.PI);
  } else if (role === 'system' || role === 'developer') {
    const half = radius * 0.88;
    filled.rect(x - half, y - half, 2 * half, 2 * half);
  } else if (role === 'tool') {
    const reach = radius * 1.22;
    filled.moveTo(x, y - reach);
    filled.lineTo(x + reach, y);
    filled.lineTo(x, y + reach);
    filled.lineTo(x - reach, y);
    filled.closePath();
  } else {
    filled.moveTo(x + radius, y);
    filled.arc(x, y, radius, 0, 2 * Math.PI);
  }
}

export function drawShapes(
  canvas: CanvasRenderingContext2D,
  { filled, rings }: Shapes,
  color: string,
  surface: string,
  radius: number,
): void {
  canvas.fillStyle = canvas.strokeStyle = color;
  canvas.fill(filled);
  canvas.fillStyle = surface;
  canvas.fill(rings);
  canvas.lineWidth = Math.max(1, radius * RING);
  canvas.stroke(rings);
}
