/** The explorer labels branches with automatic names by the words of their first own messages. */
import { describe, expect, it } from 'vitest';
import { labelsOf, type Beginning } from '../../packages/explorer/src/branch-labels/labels.js';

const segment = (
  id: string,
  parentId: string | null,
  firstContent: string,
  firstRole = 'user',
  depth = 1,
): Beginning => {
  return { firstId: id, lastId: `${id}-end`, parentId, depth, firstRole, firstContent };
};
const branch = (id: string, name: string, leafId: string, forkId: string | null, depth = 1) => {
  return { id, name, head: { depth, latestLeaf: { id: leafId } }, forkId };
};

/** The label of the second version of a message; undefined where the branch keeps its name. */
const labelOf = (before: string, text: string, role = 'user') =>
  labelsOf(
    [branch('1', 'main', 'a-end', null), branch('2', 'main-v2', 'b-end', 'root')],
    [segment('root', null, 'Hello'), segment('a', 'root', before, role), segment('b', 'root', text, role)],
  ).get('2');

describe('an edited question', () => {
  it.each([
    ['What should we do in Porto?', 'What should we do in Lisbon?', 'Lisbon'],
    ['Plan a weekend', 'Plan a weekend with a child of six', 'with child of six'],
    ['How long does it take by car?', 'How long does it take by the night train?', 'night train'],
    ['Tell me more', 'Shorten the second chapter', 'shorten second chapter'],
    ['The bell rings', 'The bells ring at noon, every single day of the year', 'bells ring at noon'],
    ['يومان في فاس', 'ثلاثة أيام في فاس', 'ثلاثة أيام'],
  ])('%s → %s', (before, text, label) => {
    expect(labelOf(before, text)).toBe(label);
  });

  it.each([
    ['is equal', 'Again?', 'again'],
    ['only lacks words', 'Make it very short', 'Make it short'],
    ['differs by words that say little', 'Can you help?', 'Could we help?'],
    [
      'differs after its first 50 characters',
      'Seven words that are the same until the...',
      'Seven words that are the same until the...',
    ],
    ['has one long word', 'a', 'Donaudampfschifffahrtsgesellschaft'],
    ['is hidden', 'A question', ''],
  ])('that %s keeps the name', (_, before, text) => {
    expect(labelOf(before, text)).toBeUndefined();
  });

  it('has no word that the rest of the version before may contain', () => {
    expect(
      labelOf('Plan a trip to Porto with kids in spring, and for...', 'Plan a trip to Porto in June and for us'),
    ).toBe('June');
  });
});

it('another answer has its first differing words', () => {
  expect(labelOf('In Porto: walk along the...', 'In Lisbon: take the old tram', 'assistant')).toBe('Lisbon');
  expect(labelOf('You could stay in Porto', 'You could stay near the river in Porto', 'assistant')).toBe(
    'near the river',
  );
});

it('branches with equal words get the next word, or a number', () => {
  const texts = [
    'Go by car',
    'Go by night train to Porto via',
    'Go by night train to Porto',
    'Go by night train to Porto',
  ];
  const forks = texts.map((text, n) => segment(`m${n}`, 'root', text));
  const names = ['main', 'main-v2', 'main-v3', 'main-v4'];
  const labels = labelsOf(
    names.map((name, n) => branch(`${n}`, name, `m${n}-end`, n === 0 ? null : 'root')),
    [segment('root', null, 'Hello'), forks[0]!, forks[1]!, segment('x', 'root', 'Go by car'), forks[2]!],
  );
  expect([labels.get('1'), labels.get('2')]).toEqual(['night train to Porto', 'night train to Porto 2']);
});

it('finds the first own message of a branch before further forks', () => {
  const segments = [
    segment('root', null, 'Where to?', 'user', 0),
    segment('a', 'root-end', 'To Porto'),
    segment('b', 'root-end', 'To Lisbon'),
    segment('c', 'b-end', 'By car', 'user', 3),
    segment('d', 'b-end', 'By train', 'user', 3),
  ];
  const branches = [
    branch('1', 'main', 'a-end', null),
    branch('2', 'main-v2', 'c-end', 'root-end', 3),
    branch('3', 'main-v2-v2', 'd-end', 'b-end', 3),
    branch('4', 'main-v3', 'd-end', 'root-end', 0),
  ];
  expect([...labelsOf(branches, segments)]).toEqual([
    ['2', 'Lisbon'],
    ['3', 'train'],
  ]);
});
