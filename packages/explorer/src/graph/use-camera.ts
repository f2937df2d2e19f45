import { useEffect, useLayoutEffect, useState, type RefObject } from 'react';
import { fitted, within, zoomed, type Camera } from './scene/camera.js';
import type { Size } from './scene/dimensions.js';

/** A scene that is readable when fitted is fitted at first: no text below 11 pixels. */
const READABLE = 0.85;

export interface CameraControl {
  camera: Camera;
  /** Moves it, at most to the ends of the scene. */
  move: (change: (camera: Camera) => Camera) => void;
  /** The size of the canvas; 1 by 1 before the first layout. */
  screen: Size;
  /** Zooms around the center. */
  zoom: (factor: number) => void;
  fit: () => void;
}

/** A camera that the wheel moves, or zooms with Ctrl. @param rows of the scene */
export function useCamera(canvas: RefObject<HTMLCanvasElement | null>, rows: number): CameraControl {
  const [screen, setScreen] = useState<Size>({ width: 1, height: 1 });
  const [camera, setCamera] = useState<Camera>({ y: 0, scale: 1 });
  const move = (change: (camera: Camera) => Camera) => setCamera((camera) => within(change(camera), rows, screen));

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
    const { scale } = fitted(rows, screen);
    move((camera) => ({ ...camera, scale: scale >= READABLE ? scale : 1 }));
    // Only at first: later the user moves the camera.
  }, [isSeen]);
  useLayoutEffect(() => move((camera) => camera), [rows, screen]);

  // React's passive listener cannot prevent scrolling of the page.
  useEffect(() => {
    const { current } = canvas;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      move((camera) =>
        event.ctrlKey || event.metaKey
          ? zoomed(camera, Math.exp(-event.deltaY / 300), event.offsetY)
          : { ...camera, y: camera.y + event.deltaY / camera.scale },
      );
    };
    current?.addEventListener('wheel', turn, { passive: false });
    return () => current?.removeEventListener('wheel', turn);
  }, [canvas, rows, screen]);

  return {
    camera,
    move,
    screen,
    zoom: (factor) => move((camera) => zoomed(camera, factor, screen.height / 2)),
    fit: () => move(() => fitted(rows, screen)),
  };
}
