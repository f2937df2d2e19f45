/** Focuses an element once the page shows it, unless the user presses a key or a button before. */
export function focusOnceShown(selector: string): void {
  const focus = () => {
    const found = document.querySelector<HTMLElement>(selector);
    found?.focus();
    return found !== null;
  };
  if (focus()) return;
  const watched = new MutationObserver(() => focus() && watched.disconnect());
  watched.observe(document.body, { childList: true, subtree: true });
  for (const type of ['keydown', 'pointerdown']) {
    addEventListener(type, () => watched.disconnect(), { once: true, capture: true });
  }
}
