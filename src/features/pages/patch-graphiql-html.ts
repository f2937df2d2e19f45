/** Fixes of GraphiQL's page, as a style and scripts: its tabs, its subscriptions, its history, and a link to the explorer. */

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
 * GraphiQL keeps one result of a subscription, and ends it with its connection or tab. This fetcher keeps results with times,
 * follows again, and beside other tabs.
 */
const fetcher = String.raw`
  const KEPT = 100;
  const LONGEST_PAUSE_MS = 8000;
  // Browsers open six connections to a server.
  const MAX_FOLLOWERS = 4;

  // By the ids of their tabs.
  const followers = new Map();
  let tabId;
  let isResuming = false;

  function onTabChange({ tabs, activeTabIndex }) {
    for (const [id, { stop }] of followers) {
      if (!tabs.some((each) => each.id === id)) stop();
    }
    const tab = tabs[activeTabIndex];
    showPlace(tab);
    if (tab.id === tabId) return;
    followers.get(tabId)?.leave();
    tabId = tab.id;
    if (followers.has(tabId)) setTimeout(resume);
  }

  // GraphiQL has no function that runs a tab.
  function resume() {
    isResuming = true;
    document.querySelector('.graphiql-execute-button').click();
    isResuming = false;
  }

  function fetcherOf({ additionalHeaders }) {
    return ({ query, operationName, variables }, { headers } = {}) => {
      if (isResuming) return followers.get(tabId);
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
      followers.get(tabId)?.stop();
      if (followers.size === MAX_FOLLOWERS) throw new Error(MAX_FOLLOWERS + ' other tabs follow: stop one of them first.');
      return follow((signal) => ask('text/event-stream', signal), tabId);
    };
  }

  function isSubscription(query, operationName) {
    const text = query.replace(/#.*/g, '');
    return new RegExp(operationName ? '\\bsubscription\\s+' + operationName + '\\b' : '^\\s*subscription\\b').test(text);
  }

  function follow(subscribe, id) {
    const leaving = new AbortController();
    let observer;
    let shown;
    const show = (value) => {
      shown = value;
      observer?.next(value);
    };
    const ended = readResults(subscribe, show, leaving.signal);
    const stop = () => {
      observer = undefined;
      followers.delete(id);
      leaving.abort();
    };
    const follower = {
      subscribe(next) {
        observer = next;
        if (shown) observer.next(shown);
        ended.then(() => {
          if (observer !== next) return;
          next.complete();
          stop();
        });
        // GraphiQL unsubscribes before it changes the tab.
        const unsubscribe = () =>
          queueMicrotask(() => {
            if (observer !== next) return;
            show({ ...shown, connection: 'stopped' });
            stop();
          });
        return { unsubscribe };
      },
      leave() {
        observer?.complete();
        observer = undefined;
      },
      stop,
    };
    followers.set(id, follower);
    return follower;
  }

  async function readResults(subscribe, show, signal) {
    let results = [];
    for (let pauseMs = 250; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const response = await subscribe(signal);
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return show(await response.json());
        pauseMs = 250;
        show({ connection: 'open', results });
        for await (const { event, data } of eventsOf(response.body)) {
          if (event === 'complete') return show({ connection: 'completed', results });
          if (event !== 'next') continue;
          results = [{ time: new Date().toISOString(), ...JSON.parse(data) }, ...results].slice(0, KEPT);
          show({ connection: 'open', results });
        }
      } catch {
        // The connection is lost, or the page has left it.
      }
      if (signal.aborted) return;
      show({ connection: 'lost: connecting again', results });
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

/** Links the place of the active tab in the explorer: of its variables, or else of its result. */
const explorerLink = `
  function showPlace({ variables, response }) {
    const { chatId, input } = parsed(variables);
    const { chat, message } = parsed(response).data ?? {};
    const place = [
      chatId ?? input?.chatId ?? message?.chat?.id ?? chat?.id,
      input?.messageId ?? input?.at?.message ?? message?.id ?? chat?.branch?.head?.id,
    ];
    const path = place[0] ? ['chats', place[0], 'thread', ...(place[1] ? [place[1]] : [])] : [];
    const link = document.querySelector('#explorer');
    if (link) link.href = '/#/' + path.map(encodeURIComponent).join('/');
  }

  function parsed(text) {
    try {
      return JSON.parse(text) ?? {};
    } catch {
      return {};
    }
  }
`;

const RENDER = 'YogaGraphiQL.renderYogaGraphiQL(';

const render = `((root, options) =>
  YogaGraphiQL.renderYogaGraphiQL(root, {
    ...options,
    title: '<a id="explorer" class="graphiql-logo-link" href="/" target="_blank" rel="noopener">Explorer</a>',
    fetcher: fetcherOf(options),
    onTabChange,
  }))(`;

/** @param html page of GraphiQL */
export function patchGraphiqlHtml(html: string): string {
  const call = html.lastIndexOf(RENDER);
  const page = withHistory(html.slice(0, call)) + render + html.slice(call + RENDER.length);
  const scripts = `<script>${script}${fetcher}${explorerLink}</script>`;
  return page.replace('</head>', () => `<style>${style}</style>${scripts}</head>`);
}

/** Yoga's plugins replace GraphiQL's own one, the history, which has no option of its own. */
function withHistory(html: string): string {
  const history = /\b(\w+)=\{title:"History",/.exec(html)?.[1];
  if (history === undefined) return html;
  return html.replace(/(plugins:\[\w+)(\],schemaDescription:)/, `$1,${history}$2`);
}
