import { useEffect, useRef, type PointerEvent, type ReactNode } from 'react';
import type { Camera } from './scene/camera.js';
import { ROW, type Size } from './scene/dimensions.js';
import type { Scene } from './scene/scene.js';
import type { Colors } from './drawing/use-colors.js';

const WIDTH = { min: 40, max: 96, ofLane: 8 };
const HEIGHT = { max: 320, ofRow: 5 };
/** The space around the lanes. */
const PADDING = 8;

interface MiniMapProps {
  scene: Scene;
  camera: Camera;
  screen: Size;
  colors: Colors | null;
  /** Receives the row to show in the middle. */
  onMove: (row: number) => void;
}

/**
 * The whole scene, small, with a frame around the visible part. It is redrawn when the scene changes, not when the
 * camera moves.
 */
export function MiniMap({ scene, camera, screen, colors, onMove }: MiniMapProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const span = Math.min(WIDTH.max, Math.max(WIDTH.min, 2 * PADDING + scene.width * WIDTH.ofLane));
  const height = Math.min(HEIGHT.max, scene.height * HEIGHT.ofRow, screen.height);
  useEffect(() => {
    const { current } = canvas;
    const context = current?.getContext('2d');
    if (!current || !context || colors === null) return;
    const ratio = devicePixelRatio;
    [current.width, current.height] = [span * ratio, height * ratio];
    context.scale(ratio, ratio);
    const [across, down] = [(span - 2 * PADDING) / Math.max(1, scene.width), (height - 2 * PADDING) / scene.height];
    const width = Math.min(3, Math.max(1, across / 2));
    for (const { lane, from, to, color } of scene.coverage.runs(0, scene.height, 1 / down)) {
      context.fillStyle = colors.lanes[color] ?? '';
      const [x, y] = [PADDING + lane * across, PADDING + from * down];
      context.beginPath();
      context.roundRect(x, y, width, Math.max(2, (to - from) * down - 1), 1);
      context.fill();
    }
  }, [scene, span, height, colors]);

  const move = ({ buttons, nativeEvent: { offsetY } }: PointerEvent) => {
    if (buttons !== 0) onMove((offsetY / height) * scene.height);
  };
  const y = part(camera.y / ROW, screen.height / camera.scale / ROW, scene.height, height);
  return (
    <svg className="frame panel" width={span} height={height} aria-hidden onPointerDown={move} onPointerMove={move}>
      <foreignObject width={span} height={height} pointerEvents="none">
        <canvas ref={canvas} />
      </foreignObject>
      <rect y={y.start} width={span} height={y.length} rx="4" />
    </svg>
  );
}

/** The visible part of an axis, at least four pixels. @param of the length of the axis @param within its length on the map */
function part(from: number, length: number, of: number, within: number): { start: number; length: number } {
  const start = Math.min(1, Math.max(0, from / of));
  return { start: start * within, length: Math.max(4, (Math.min(1, (from + length) / of) - start) * within) };
}
