/** Fixes for the tabs of GraphiQL's page, as a style and a script. */

/** On its first mousedown a tab jumps to the end of the row, and the click reaches the element below. */
const style = '.graphiql-tab { transform: none !important; }';

/**
 * GraphiQL opens the last editor contents in an additional tab unless a tab equals them, and stores editor contents
 * only after a change: each reload could add a tab. This script runs first and fills the stored editors from the tab of
 * the URL's query, otherwise from the active tab. It moves the URL's variables into the editor once, because GraphiQL
 * rewrites the URL with each tab.
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

/** @param html page of GraphiQL */
export function patchGraphiqlHtml(html: string): string {
  return html.replace('</head>', () => `<style>${style}</style><script>${script}</script></head>`);
}
