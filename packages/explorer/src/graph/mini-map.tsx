import { useEffect, useRef, type PointerEvent, type ReactNode } from 'react';
import type { Camera } from './camera.js';
import { LANE, worldOf, type Size } from './dimensions.js';
import type { Scene } from './scene.js';

const WIDTH = 60;
const HEIGHT = 300;

interface MiniMapProps {
  scene: Scene;
  camera: Camera;
  screen: Size;
  onMove: (x: number, y: number) => void;
}

/**
 * The whole scene, small, with a frame around the visible part. It is redrawn when the scene changes, not when the
 * camera moves.
 */
export function MiniMap({ scene, camera, screen, onMove }: MiniMapProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [world, height] = [worldOf(scene), Math.min(HEIGHT, scene.height * 4)];
  useEffect(() => {
    const { current } = canvas;
    const context = current?.getContext('2d');
    if (!current || !context) return;
    context.clearRect(0, 0, WIDTH, height);
    const style = getComputedStyle(current);
    const [accent, line] = ['--accent', '--text-muted'].map((name) => style.getPropertyValue(name));
    for (const { lane, from, to } of scene.coverage.runs(0, scene.height, scene.height / height)) {
      context.fillStyle = (lane === 0 ? accent : line) ?? '';
      const y = (from / scene.height) * height;
      context.fillRect(((lane * LANE) / world.width) * WIDTH + 2, y, 2, Math.max(1, (to / scene.height) * height - y));
    }
  }, [scene, height]);
  const move = (event: PointerEvent) => {
    const { offsetX, offsetY } = event.nativeEvent;
    if (event.buttons === 0) return;
    const [width, tall] = [screen.width / camera.across, screen.height / camera.scale];
    onMove((offsetX / WIDTH) * world.width - width / 2, (offsetY / height) * world.height - tall / 2);
  };
  const part = (from: number, length: number, whole: number, available: number) => {
    const start = Math.min(1, Math.max(0, from / whole));
    return {
      start: start * available,
      length: Math.max(4, (Math.min(1, (from + length) / whole) - start) * available),
    };
  };
  const x = part(camera.x, screen.width / camera.across, world.width, WIDTH);
  const y = part(camera.y, screen.height / camera.scale, world.height, height);
  return (
    <svg className="frame" width={WIDTH} height={height} aria-hidden onPointerDown={move} onPointerMove={move}>
      <foreignObject width={WIDTH} height={height} pointerEvents="none">
        <canvas ref={canvas} width={WIDTH} height={height} />
      </foreignObject>
      <rect x={x.start} y={y.start} width={x.length} height={y.length} />
    </svg>
  );
}
