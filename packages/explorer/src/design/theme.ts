/** The colour scheme: the one of the system, unless the user has chosen another in this browser. */
import { SharedValue } from '../browser/shared-value.js';

export type Theme = 'light' | 'dark';

const KEY = 'parley-theme';
const isDark = matchMedia('(prefers-color-scheme: dark)');
const shown = new SharedValue<Theme>('light');

/** The chosen scheme; null for the one of the system. */
function chosen(): Theme | null {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : null;
}

const update = () => shown.set(chosen() ?? (isDark.matches ? 'dark' : 'light'));

/** Applies the choice of an earlier visit. */
export function restoreTheme(): void {
  apply(stored());
  isDark.addEventListener('change', update);
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
  update();
}

/** The shown scheme, and a function that changes to the other one. */
export function useTheme(): [theme: Theme, toggle: () => void] {
  const theme = shown.use();
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
