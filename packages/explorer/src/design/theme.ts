/** The colour scheme: the one of the system, unless the user has chosen another in this browser. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'parley-theme';
const isDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** The chosen scheme; null for the one of the system. */
function chosen(): Theme | null {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : null;
}

const current = (): Theme => chosen() ?? (isDark.matches ? 'dark' : 'light');

/** Applies the choice of an earlier visit. */
export function restoreTheme(): void {
  apply(stored());
  isDark.addEventListener('change', () => listeners.forEach((listener) => listener()));
}

/** The browser may forbid storage. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  else delete document.documentElement.dataset['theme'];
  listeners.forEach((listener) => listener());
}

/** The shown scheme, and a function that changes to the other one. */
export function useTheme(): [theme: Theme, toggle: () => void] {
  const theme = useSyncExternalStore(follow, current);
  return [
    theme,
    () => {
      const other = theme === 'dark' ? 'light' : 'dark';
      const isOfSystem = (other === 'dark') === isDark.matches;
      try {
        if (isOfSystem) localStorage.removeItem(KEY);
        else localStorage.setItem(KEY, other);
      } catch {
        // The choice lasts until the page is closed.
      }
      apply(isOfSystem ? null : other);
    },
  ];
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
