/** The initial tabs of GraphiQL: operations that run on the demo chat. */
import { readFileSync } from 'node:fs';

interface Tab {
  query: string;
  /** JSON. */
  variables?: string;
}

/** Input of the tab Context. */
const travelGuide = {
  renderer: 'XML',
  fragments: [
    { name: 'role', data: 'You know every corner of Portugal.' },
    { name: 'hint', data: 'Name one place, and say why.' },
    { name: 'identity', data: { name: 'Ana', interests: ['food', 'walking'] } },
  ],
  pending: [{ name: 'user', content: { text: 'And where do we eat?' } }],
};

/** @param name file in `tabs`, without its extension */
function tab(name: string, variables?: object): Tab {
  const query = readFileSync(new URL(`tabs/${name}.graphql`, import.meta.url), 'utf8');
  return { query, ...(variables && { variables: JSON.stringify(variables, null, 2) }) };
}

/** Reads the tabs from their files: exploring first, then changing. The ids are those of the demo chat, so each tab runs unchanged. */
export const readGraphiqlTabs = (): Tab[] => [
  tab('newest-chat'),
  tab('chats', { filter: { userId: 'local', title: 'weekend' } }),
  tab('search', { query: 'river walk' }),
  tab('message', { id: 'demo-question' }),
  tab('branches', { chatId: 'demo' }),
  tab('compare', { chatId: 'demo', base: { branch: 'main' }, head: { branch: 'main-v2' } }),
  tab('events', { chatId: 'demo', filter: {} }),
  tab('users', { search: '', from: '2026-01' }),
  tab('save', { input: { chatId: 'demo', messages: [{ name: 'user', content: { text: 'And on a rainy day?' } }] } }),
  tab('edit', {
    input: { chatId: 'demo', messageId: 'demo-question', content: { text: 'Where could we go in Lisbon?' } },
  }),
  tab('arrows', { input: { chatId: 'demo', messageId: 'demo-other-answer' } }),
  tab('rewind', { input: { chatId: 'demo', messageId: 'demo-answer' } }),
  tab('switch', { input: { chatId: 'demo', name: 'main' } }),
  tab('checkpoint', { input: { chatId: 'demo', name: 'before the weather turned' } }),
  tab('restore', { input: { chatId: 'demo', name: 'the first idea' } }),
  tab('context', { chatId: 'demo', input: travelGuide }),
  tab('follow', { chatId: 'demo' }),
];
