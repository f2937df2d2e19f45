import type { ReactNode } from 'react';

/** A text with the words of a query marked. */
export function marked(text: string, query: string): ReactNode {
  const words = query.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return text;
  // The longest alternative first, as "an" is part of "and".
  const escaped = words.sort((a, b) => b.length - a.length).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  // Parts at odd positions are matches.
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'iu'))
    .map((part, n) => (n % 2 === 0 ? part : <mark key={n}>{part}</mark>));
}
