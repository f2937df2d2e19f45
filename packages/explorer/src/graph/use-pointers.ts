import { useRef, type PointerEvent } from 'react';
import { zoomed } from './scene/camera.js';
import type { Point } from './scene/dimensions.js';
import type { CameraControl } from './use-camera.js';

/** Pixels that a pointer must move to drag. */
const DRAG = 4;

interface PointerHandlers {
  onPointerDown(event: PointerEvent): void;
  onPointerMove(event: PointerEvent): void;
  onPointerUp(event: PointerEvent): void;
  onPointerCancel(event: PointerEvent): void;
}

/** One pointer drags the camera, two zoom it. @param onHover and onClick receive points of the canvas */
export function usePointers(
  { move }: CameraControl,
  onHover: (at: Point) => void,
  onClick: (at: Point) => void,
): PointerHandlers {
  /** The positions of the mouse or fingers, by pointer id. */
  const pressed = useRef(new Map<number, Point>());
  const hasMoved = useRef(false);
  return {
    onPointerDown(event) {
      if (pressed.current.size === 0) hasMoved.current = false;
      pressed.current.set(event.pointerId, pointOf(event));
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event) {
      const from = pressed.current.get(event.pointerId);
      const to = pointOf(event);
      if (from === undefined) return onHover(to);
      if (!hasMoved.current && distance(from, to) < DRAG) return;
      hasMoved.current = true;
      pressed.current.set(event.pointerId, to);
      const [other] = [...pressed.current].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]));
      move((camera) =>
        other === undefined
          ? { ...camera, y: camera.y - (to.y - from.y) / camera.scale }
          : zoomed(camera, distance(to, other) / Math.max(1, distance(from, other)), other.y),
      );
    },
    onPointerUp(event) {
      const wasPressed = pressed.current.delete(event.pointerId);
      if (wasPressed && !hasMoved.current) onClick(pointOf(event));
    },
    onPointerCancel: ({ pointerId }) => void pressed.current.delete(pointerId),
  };
}

const pointOf = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent): Point => ({ x: offsetX, y: offsetY });
const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
