/** Fixes for the tabs of GraphiQL's page, as a style and a script. */

/** Pressed for the first time, a tab jumps to the end of the row, and the click falls on what is behind it. */
const style = '.graphiql-tab { transform: none !important; }';

/**
 * GraphiQL opens what was last in its editors, as a tab of its own unless one has exactly that in all of them; and it keeps
 * what is in an editor only once that has changed. So each reload could add a tab. This runs before it, and has the editors
 * hold what the tab has that is to be shown: the one whose query is in the address, or else the one that was active.
 *
 * Of an address it takes the query alone, and writes it anew with each tab: variables there are put into the editor, once.
 */
const script = `
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const asked = new URL(location.href).searchParams.get('query');
    const active = tabs[activeTabIndex];
    const shown = asked === null || active.query === asked ? active : tabs.find(({ query }) => query === asked);
    for (const editor of shown ? ['query', 'variables', 'headers'] : []) {
      localStorage.setItem('graphiql:' + editor, shown[editor] ?? '');
    }
  } catch {
    // Nothing is kept yet, or nothing may be.
  }
  try {
    const address = new URL(location.href);
    const variables = JSON.parse(address.searchParams.get('variables'));
    if (variables !== null) localStorage.setItem('graphiql:variables', JSON.stringify(variables, null, 2));
    address.searchParams.delete('variables');
    history.replaceState(null, '', address);
  } catch {
    // They are no JSON.
  }
`;

/** @param html a page of GraphiQL */
export function patchGraphiqlHtml(html: string): string {
  return html.replace('</head>', () => `<style>${style}</style><script>${script}</script></head>`);
}
