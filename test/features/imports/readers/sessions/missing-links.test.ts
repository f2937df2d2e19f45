/** Lines without the links that others of their session have, and lines of several sessions in turn. */
import { expect, it } from 'vitest';
import { readTrees } from '../read-trees.js';
import { lines } from './session-lines.js';

it('a line of Qwen Code without a parent follows the line before it', async () => {
  const said = (uuid: string, type: string, text: string) => ({
    ...{ uuid, type, sessionId: 'q' },
    message: { role: type, parts: [{ text }] },
  });
  const { trees } = await readTrees(
    lines({ ...said('a', 'user', 'One?'), parentUuid: null }, said('b', 'model', 'Two'), {
      ...said('c', 'user', 'Three?'),
      parentUuid: 'b',
    }),
  );
  expect(trees.map(({ source, main }) => [source, main])).toEqual([['qwen-code', ['One?', 'Two', 'Three?']]]);
});

it('lines of llama.cpp belong to the conversation that they name, in any order', async () => {
  const session = (id: string) => ({
    type: 'session',
    harness: 'llama.app',
    id,
    name: id.toUpperCase(),
    currNode: `${id}2`,
  });
  const said = (convId: string, id: string, parent: string | null, role: string, content: string) => ({
    type: 'message',
    message: { id: convId + id, convId, parent: parent && convId + parent, children: [], type: 'text', role, content },
  });
  const { trees, failures } = await readTrees(
    lines(
      said('b', '1', null, 'user', 'Pears?'),
      session('a'),
      said('a', '1', null, 'user', 'Apples?'),
      session('b'),
      said('b', '2', '1', 'assistant', 'Green'),
      said('a', '2', '1', 'assistant', 'Red'),
      said('c', '1', null, 'user', 'Plums?'),
    ),
  );
  expect(failures).toEqual([]);
  expect(trees.map(({ id, title, main }) => [id, title, main]).sort()).toEqual([
    ['a', 'A', ['Apples?', 'Red']],
    ['b', 'B', ['Pears?', 'Green']],
    ['c', null, ['Plums?']],
  ]);
});
