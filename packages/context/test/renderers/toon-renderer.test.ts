import { decode } from '@toon-format/toon';
import { describe, expect, it } from 'vitest';
import { ToonRenderer } from '../../src/renderers/toon-renderer.js';
import { SAMPLE } from './sample-fragments.js';

const renderer = new ToonRenderer();

describe('TOON', () => {
  it('has records with the same fields as a table', () => {
    expect(renderer.render(SAMPLE)).toBe(`role: You are a careful assistant.
hint[2]: Be concise.,"Ask when unsure: <b> & \\"c\\" are *text*.\\nSecond line."
database:
  hint: PostgreSQL 18
  constraints:
    hint[2]: No DELETE without audit,UTC only
  replicas: 2
tags[4]: sql,audit,3,true
limits:
  "max tokens": 4096
  temperature: 0.25
  stream: false
  stop[2]: END,"#"
users[2]{id,name,admin}:
  1,Ada,true
  2,Bob,false
steps[4]:
  - read
  - [2]: plan,write
  - check[2]: types,tests
  - stop: when done`);
  });

  it('has a table for uniform siblings', () => {
    const user = (name: string, age: number) => ({ name: 'user', data: { name, age } });
    expect(renderer.render([user('Ada', 36), user('Bob', 7)])).toBe(`user[2]{name,age}:
  Ada,36
  Bob,7`);
  });

  it('has a table for uniform sections, with their names first', () => {
    const fragments = [
      { name: 'dev', data: { host: 'a', port: 1 } },
      { name: 'live', data: { host: 'b', port: 2 } },
    ];
    expect(renderer.render(fragments)).toBe(`[2:]{host,port}:
  dev: a,1
  live: b,2`);
  });

  it('distinguishes texts from values, and empty texts, lists and sections', () => {
    const data = ['1', 1, 'true', true, 'null', '', [], {}, 1e21, '1e21', '- a', '# a', ' a'];
    const section = { text: '', list: [], section: {} };
    const toon = renderer.render([
      { name: 'values', data },
      { name: 'section', data: section },
    ]);
    expect(decode(toon)).toEqual({ values: data, section });
  });
});
