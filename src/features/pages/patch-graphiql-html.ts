/** Fixes of GraphiQL's page, as a style and scripts: its tabs, and its subscriptions. */

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

/**
 * GraphiQL shows the newest result of a subscription only, and ends it when its connection ends. This fetcher shows the last
 * results with their times and the state of the connection, and follows again after the server has restarted.
 */
const fetcher = String.raw`
  const KEPT = 100;
  const LONGEST_PAUSE_MS = 8000;

  function fetcherOf({ additionalHeaders }) {
    return ({ query, operationName, variables }, { headers } = {}) => {
      const ask = (accept, signal) =>
        fetch(location.pathname, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept, ...additionalHeaders, ...headers },
          body: JSON.stringify({ query, operationName, variables }),
          signal,
        });
      if (!isSubscription(query, operationName)) {
        return ask('application/graphql-response+json, application/json').then((response) => response.json());
      }
      const leaving = new AbortController();
      const results = follow(() => ask('text/event-stream', leaving.signal), leaving.signal);
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => results.next(),
          return: () => (leaving.abort(), results.return()),
        }),
      };
    };
  }

  function isSubscription(query, operationName) {
    const text = query.replace(/#.*/g, '');
    return new RegExp(operationName ? '\\bsubscription\\s+' + operationName + '\\b' : '^\\s*subscription\\b').test(text);
  }

  async function* follow(subscribe, signal) {
    let results = [];
    for (let pauseMs = 250; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const response = await subscribe();
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return yield await response.json();
        pauseMs = 250;
        yield { connection: 'open', results };
        for await (const { event, data } of eventsOf(response.body)) {
          if (event === 'complete') return yield { connection: 'completed', results };
          if (event !== 'next') continue;
          results = [{ time: new Date().toISOString(), ...JSON.parse(data) }, ...results].slice(0, KEPT);
          yield { connection: 'open', results };
        }
      } catch {
        // The connection is lost, or the page has left it.
      }
      if (signal.aborted) return;
      yield { connection: 'lost: connecting again', results };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async function* eventsOf(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + value).split('\n\n');
      text = events.pop();
      for (const event of events) {
        const fields = event.split('\n').map((line) => line.split(/: ?(.*)/s));
        yield Object.fromEntries(fields);
      }
    }
  }
`;

const RENDER = 'YogaGraphiQL.renderYogaGraphiQL(';

/** @param html page of GraphiQL */
export function patchGraphiqlHtml(html: string): string {
  const call = html.lastIndexOf(RENDER);
  const render =
    '((root, options) => YogaGraphiQL.renderYogaGraphiQL(root, { ...options, fetcher: fetcherOf(options) }))(';
  const page = html.slice(0, call) + render + html.slice(call + RENDER.length);
  return page.replace('</head>', () => `<style>${style}</style><script>${script}${fetcher}</script></head>`);
}
