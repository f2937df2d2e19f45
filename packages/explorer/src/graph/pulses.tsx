import { useMemo, type ReactNode } from 'react';
import type { Camera } from './scene/camera.js';
import type { Size } from './scene/dimensions.js';
import { xOf, yOf } from './drawing/drawn.js';
import type { Labels } from './scene/labels.js';
import { rowOf, type Position, type Scene } from './scene/scene.js';

/** More drafts at once are not told apart. */
const MAX_PULSES = 20;

interface PulsesProps {
  scene: Scene;
  labels: Labels;
  camera: Camera;
  screen: Size;
}

/** A pulse around each message with a running draft. The style sheet animates it, so that the canvas is not redrawn. */
export function Pulses({ scene, labels, camera, screen }: PulsesProps): ReactNode {
  const running = useMemo(
    () =>
      [...labels].flatMap(([n, places]) =>
        Object.entries(places).flatMap(([at, found]) =>
          found.some(({ kind }) => kind === 'draft') ? [{ n, at: at as Position['at'] }] : [],
        ),
      ),
    [labels],
  );
  return running.slice(0, MAX_PULSES).map((position) => {
    const [left, top] = [xOf({ scene, screen }, scene.lane[position.n] ?? 0), yOf(camera, rowOf(scene, position))];
    if (top < 0 || top > screen.height) return null;
    const color = `var(--lane-${(scene.color[position.n] ?? 0) + 1})`;
    return <span key={position.n} className="pulse" style={{ left, top, color }} aria-hidden />;
  });
}
