import { useEffect, useRef, useState } from 'react';
import type { Scene } from './scene/scene.js';

const DURATION_MS = 220;
/** Larger scenes change at once. */
const MAX_SEGMENTS = 2_000;

/** By segment, how many rows below its place it is drawn. */
export type Shift = Float32Array;

/** Moves the segments of a changed scene to their new rows, unless the user wants less motion. */
export function useMotion(): { shift: Shift | null; begin: (was: Scene, scene: Scene, cameraRows: number) => void } {
  const [shift, setShift] = useState<Shift | null>(null);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return {
    shift,
    begin(was, scene, cameraRows) {
      cancelAnimationFrame(frame.current);
      setShift(null);
      if (scene.segments.length > MAX_SEGMENTS || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
      const whole = Float32Array.from(scene.segments, ({ firstId }, n) => {
        const before = was.byId.get(firstId);
        return before === undefined ? 0 : (was.top[before] ?? 0) - (scene.top[n] ?? 0) + cameraRows;
      });
      if (whole.every((rows) => rows === 0)) return;
      const began = performance.now();
      const step = (now: number) => {
        const rest = Math.max(0, 1 - (now - began) / DURATION_MS) ** 3;
        setShift(rest === 0 ? null : whole.map((rows) => rows * rest));
        if (rest > 0) frame.current = requestAnimationFrame(step);
      };
      step(began);
    },
  };
}
