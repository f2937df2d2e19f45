import { useEffect, useState, type RefObject } from 'react';
import { LANE_COLORS } from '../scene/lane-colors.js';

export interface Colors {
  text: string;
  muted: string;
  surface: string;
  border: string;
  selected: string;
  checkpoint: string;
  lanes: readonly string[];
  /** The family of all texts. */
  font: string;
}

const FORCED = '(forced-colors: active)';

/** The colors of the style sheet for a canvas: read again when the color scheme changes. */
export function useColors(canvas: RefObject<HTMLCanvasElement | null>): Colors | null {
  const [colors, setColors] = useState<Colors | null>(null);
  useEffect(() => {
    const read = () => canvas.current && setColors(colorsOf(canvas.current));
    // A canvas is not drawn again when its font has loaded.
    void document.fonts.ready.then(read);
    const queries = ['(prefers-color-scheme: dark)', FORCED].map((query) => matchMedia(query));
    const root = new MutationObserver(read);
    root.observe(document.documentElement, { attributes: true });
    for (const query of queries) query.addEventListener('change', read);
    return () => {
      root.disconnect();
      for (const query of queries) query.removeEventListener('change', read);
    };
  }, [canvas]);
  return colors;
}

/** Resolves `light-dark()` through an element, because a custom property keeps its text. */
function colorsOf({ parentElement }: HTMLCanvasElement): Colors | null {
  if (parentElement === null) return null;
  const probe = parentElement.appendChild(document.createElement('span'));
  const style = getComputedStyle(probe);
  const isForced = matchMedia(FORCED).matches;
  const color = (name: string) => {
    // With forced colors, the system has two: one for areas, one for texts and lines.
    const forced = name === 'surface' || name === 'accent-soft' ? 'Canvas' : 'CanvasText';
    probe.style.color = isForced ? forced : `var(--${name})`;
    return style.color;
  };
  probe.style.setProperty('forced-color-adjust', 'none');
  const colors: Colors = {
    text: color('text'),
    muted: color('text-muted'),
    surface: color('surface'),
    border: color('border'),
    selected: color('accent-soft'),
    checkpoint: color('warning'),
    lanes: Array.from({ length: LANE_COLORS }, (_, n) => color(`lane-${n + 1}`)),
    font: style.fontFamily,
  };
  probe.remove();
  return colors;
}
