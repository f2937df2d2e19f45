import { fragment, type ContextFragment } from '../../src/fragments/fragment.js';

/** The fragments of the examples of each format. */
export const SAMPLE: ContextFragment[] = [
  fragment('role', 'You are a careful assistant.'),
  fragment('hint', 'Be concise.'),
  fragment(
    'database',
    fragment('hint', 'PostgreSQL 18'),
    fragment('constraints', fragment('hint', 'No DELETE without audit'), fragment('hint', 'UTC only')),
    fragment('replicas', 2),
  ),
  fragment('hint', 'Ask when unsure: <b> & "c" are *text*.\nSecond line.'),
  fragment('tags', 'sql', 'audit', 3, true),
  { name: 'limits', data: { 'max tokens': 4096, temperature: 0.25, stream: false, stop: ['END', '#'], none: null } },
  fragment('users', { id: 1, name: 'Ada', admin: true }, { id: 2, name: 'Bob', admin: false }),
  fragment('steps', 'read', ['plan', 'write'], { check: ['types', 'tests'] }, fragment('stop', 'when done')),
  { name: 'nothing', data: null },
];
