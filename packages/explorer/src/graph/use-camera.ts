import { useEffect, useLayoutEffect, useState, type RefObject } from 'react';
import { acrossAt, fitted, zoomed, type Camera } from './scene/camera.js';
import type { Size } from './scene/dimensions.js';

/** A scene that is readable when fitted is fitted at first: no text below 11 pixels. */
const READABLE = 0.85;

export interface CameraControl {
  camera: Camera;
  setCamera: (change: (camera: Camera) => Camera) => void;
  /** The size of the canvas; 1 by 1 before the first layout. */
  screen: Size;
  /** Zooms around the center. */
  zoom: (factor: number) => void;
  fit: () => void;
}

/** A camera that the wheel moves, or zooms with Ctrl. */
export function useCamera(canvas: RefObject<HTMLCanvasElement | null>, world: Size): CameraControl {
  const [screen, setScreen] = useState<Size>({ width: 1, height: 1 });
  const [camera, setCamera] = useState<Camera>({ x: -20, y: -10, scale: 1, across: 1 });

  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const resize = () => setScreen({ width: current.clientWidth || 1, height: current.clientHeight || 1 });
    const watched = new ResizeObserver(resize);
    watched.observe(current);
    resize();
    return () => watched.disconnect();
  }, [canvas]);

  const isSeen = screen.width > 1;
  useLayoutEffect(() => {
    if (!isSeen) return;
    const { scale } = fitted(world, screen);
    setCamera((camera) => {
      const shown = scale >= READABLE ? scale : camera.scale;
      return { ...camera, scale: shown, across: acrossAt(shown, world, screen) };
    });
    // Only at first: later the user moves the camera.
  }, [isSeen]);

  // React's passive listener cannot prevent scrolling of the page.
  useEffect(() => {
    const { current } = canvas;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      setCamera((camera) =>
        event.ctrlKey || event.metaKey
          ? zoomed(camera, Math.exp(-event.deltaY / 300), { x: event.offsetX, y: event.offsetY }, world, screen)
          : { ...camera, x: camera.x + event.deltaX / camera.across, y: camera.y + event.deltaY / camera.scale },
      );
    };
    current?.addEventListener('wheel', turn, { passive: false });
    return () => current?.removeEventListener('wheel', turn);
  }, [canvas, world, screen]);

  return {
    camera,
    setCamera,
    screen,
    zoom: (factor) =>
      setCamera((camera) => zoomed(camera, factor, { x: screen.width / 2, y: screen.height / 2 }, world, screen)),
    fit: () => setCamera(fitted(world, screen)),
  };
}
