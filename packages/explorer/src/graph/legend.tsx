import type { ReactNode } from 'react';

const SHAPES = [
  ['user', <circle key="user" cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" />],
  ['assistant', <circle key="assistant" cx="6" cy="6" r="5" fill="currentColor" />],
  ['system', <path key="system" d="M1.5 1.5h9v9h-9z" fill="currentColor" />],
  ['tool', <path key="tool" d="M6 0l6 6-6 6-6-6z" fill="currentColor" />],
] as const;

/** The meaning of the shapes, and of dotted lines if there are any. */
export function Legend({ hasSources }: { hasSources: boolean }): ReactNode {
  return (
    <ul className="legend" aria-label="Shapes">
      {SHAPES.map(([name, shape]) => (
        <li key={name}>
          <svg width="12" height="12" aria-hidden>
            {shape}
          </svg>
          {name}
        </li>
      ))}
      {hasSources && (
        <li>
          <svg width="16" height="12" aria-hidden>
            <path d="M1.5 6h14" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" strokeDasharray="0 4.5" />
          </svg>
          source
        </li>
      )}
    </ul>
  );
}
