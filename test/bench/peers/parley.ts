/** Parley, called over HTTP with the tasks of all subjects. */
import { chainQuery } from '../chains.js';
import { COMMON_WORD, RARE_WORD } from '../measuring/fixture.js';
import { saveTurn } from '../measuring/http-saves.js';
import { withServer } from '../measuring/server.js';
import { withHttpSubject } from './over-http.js';
import type { Size, Subject } from './tasks.js';

const search = (word: string) =>
  `{ chat(id: "chain10000") { search(query: "${word}") { edges { node {
    rank snippet message { id name data createdAt } } } } } }`;

const DOCUMENTS = {
  empty: '{ __typename }',
  chat: '{ chat(id: "chain10000") { id } }',
  chain1000: chainQuery('chain1000'),
  chain10000: chainQuery('chain10000'),
  graph: `{ chat(id: "chain10000") { graph { nodes { id parentId role content createdAt }
    branches { name isActive head { id } } checkpoints { name } } } }`,
  rare: search(RARE_WORD),
  common: search(COMMON_WORD),
  branches: `{ chat(id: "branchy") { branches(first: 100) { edges { node {
    id name isActive createdAt head { id } messageCount } } } } }`,
};

/** @param urls of its two databases */
export function withParley<T>(urls: Record<Size, string>, measure: (subject: Subject) => Promise<T>): Promise<T> {
  return withServer(urls.small, (small) =>
    withServer(urls.large, (large) =>
      withHttpSubject({ small: small.url, large: large.url }, DOCUMENTS, (post) => saveTurn(post, 'saved'), measure),
    ),
  );
}
