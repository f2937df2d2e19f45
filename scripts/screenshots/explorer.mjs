/**
 * `node scripts/screenshots/explorer.mjs FOLDER`: writes eight views of the explorer, light and dark, into a folder, and
 * docs/explorer.png for the README. It writes its chats first, so that only the times differ between runs.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../parts.mjs';
import { withServer } from './with-server.mjs';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder of the screenshots');
mkdirSync(folder, { recursive: true });

/** The views: URL, pressed keys, and the selector to wait for. */
const views = {
  home: { place: '/', ready: '.cards a' },
  split: { place: '/chats/novel/split', ready: '.graph canvas' },
  thread: { place: '/chats/novel/thread', ready: '.message-list li' },
  message: { place: '/chats/novel/thread/storm-2', ready: '.message-list li[aria-current]' },
  graph: { place: '/chats/novel/graph', ready: '.graph canvas' },
  far: { place: '/chats/many/graph', ready: '.graph canvas', keys: ['0'] },
  compare: { place: '/chats/novel/compare', ready: '.compare .step' },
  history: { place: '/chats/novel/history', ready: '.history li' },
};

await withServer(async (browser, url) => {
  await writeNovel(url);
  await writeMany(url);
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({
      viewport: { width: 1400, height: 820 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    for (const [name, { place, ready, keys = [] }] of Object.entries(views)) {
      await page.goto(new URL(`/#${place}`, url).href);
      await page.reload();
      await page.locator(ready).first().waitFor();
      if (keys.length > 0) await page.locator(ready).first().focus();
      for (const key of keys) await page.keyboard.press(key);
      // The view is drawn in the frame after next.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      await page.waitForLoadState('networkidle');
      const shown = { animations: 'disabled', caret: 'hide' };
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), ...shown });
      if (name === 'split' && colorScheme === 'light') {
        await page.screenshot({ path: join(root, 'docs', 'explorer.png'), ...shown });
      }
    }
    await page.close();
  }
});
console.log(folder);

async function ask(url, query, input) {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data, errors } = await response.json();
  const answer = Object.values(data ?? {})[0];
  if (errors !== undefined || answer.message !== undefined) throw new Error(JSON.stringify(errors ?? answer));
}

function mutation(name, input) {
  return `mutation ($input: ${input}!) { ${name}(input: $input) { __typename ... on Error { message } } }`;
}
function create(url, input) {
  return ask(url, mutation('createChat', 'CreateChatInput'), input);
}
function save(url, input) {
  return ask(url, mutation('saveMessages', 'SaveMessagesInput'), input);
}

/** Turns of a question and an answer; their ids are the first one with numbers. */
function said(id, ...texts) {
  return texts.map((text, n) => ({
    id: `${id}-${n + 1}`,
    name: n % 2 === 0 ? 'user' : 'assistant',
    content: { text },
  }));
}

async function writeNovel(url) {
  const chatId = 'novel';
  await create(url, { id: chatId, title: 'A lighthouse novel' });
  const lines = [
    [
      null,
      'main',
      said('novel', 'Help me plot a novel about a lighthouse.', 'Gladly. Who keeps the light, and why there?'),
    ],
    [
      'novel-2',
      'keeper',
      said(
        'keeper',
        'An old botanist who fled the city.',
        'Then the garden on the rock is the heart of it.',
        'What grows there?',
        'Sea kale, thrift, and one rose that should not.',
      ),
    ],
    [
      'novel-2',
      'twins',
      said(
        'twins',
        'Twins who do not speak to each other.',
        'One trims the lamp, the other writes the log.',
        'What broke them apart?',
        'A ship that one saw and the other did not.',
      ),
    ],
    [
      'twins-3',
      'a letter',
      [{ id: 'letter', name: 'assistant', content: { text: 'A letter that came for both of them.' } }],
    ],
    [
      'twins-4',
      'storm',
      said(
        'storm',
        'Begin with the night of the ship.',
        'Rain first, then the bell, then nothing at all.',
        'More dread, fewer adjectives.',
        'Rain. The bell. Nothing.',
      ),
    ],
    [
      'twins-4',
      'logbook',
      said('log', 'Tell it in log entries only.', '14 March. Wind SW 9. My brother says there was no ship.'),
    ],
    ['storm-2', 'calm', said('calm', 'And if the sea were calm?', 'Then the silence has to do what the storm did.')],
    [
      'keeper-2',
      'greenhouse',
      said('green', 'Give the garden a greenhouse.', 'Glass on a rock in the wind: somebody will have to mend it.'),
    ],
    [
      'storm-4',
      'draft two',
      said(
        'end',
        'Now the last chapter.',
        'They relight the lamp together, and the log has one hand.',
        'Keep it open whether the ship was real.',
        'The entry stays blank, and is signed by both.',
      ),
    ],
  ];
  for (const [parentId, branchName, messages] of lines) {
    await save(url, { chatId, messages, ...(parentId !== null && { parentId, branchName }) });
  }
  await ask(url, mutation('createCheckpoint', 'CreateCheckpointInput'), {
    chatId,
    name: 'before the storm',
    messageId: 'twins-4',
  });
}

/** A few hundred forks, for a view from afar. */
async function writeMany(url) {
  const chatId = 'many';
  await create(url, { id: chatId, title: 'Three hundred tries' });
  await save(url, { chatId, messages: said('many', ...Array.from({ length: 200 }, (_, n) => `Step ${n + 1}`)) });
  for (let n = 0; n < 300; n++) {
    // Half of them on the main line, and half on other attempts.
    const parentId = n % 2 === 0 || n < 20 ? `many-${((n * 37) % 199) + 1}` : `try${(n * 7) % n}-1`;
    await save(url, { chatId, parentId, branchName: `try ${n}`, messages: said(`try${n}`, `Try ${n}`, 'And?', 'On') });
  }
  await ask(url, mutation('switchBranch', 'SwitchBranchInput'), {
    chatId,
    name: 'main',
  });
}
