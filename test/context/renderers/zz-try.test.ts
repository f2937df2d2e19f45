import { it } from 'vitest';
import { fragment } from '../../../src/context/fragments/fragment.js';
import { XmlRenderer } from '../../../src/context/renderers/xml-renderer.js';
import { TomlRenderer } from '../../../src/context/renderers/toml-renderer.js';
import { ToonRenderer } from '../../../src/context/renderers/toon-renderer.js';
import { MarkdownRenderer } from '../../../src/context/renderers/markdown-renderer.js';
const f = [
  fragment('role', 'You are a *helpful* assistant.\n\n# Not a heading\n'),
  fragment('hint', 'Be concise.'),
  fragment('database', fragment('hint', 'PostgreSQL 18'), fragment('constraints', fragment('hint', 'No DELETE without audit'), fragment('hint','two'))),
  fragment('tags', 'a', 'b', 3, true),
  fragment('limits', { 'max tokens': 100, '': '', nested: { a: [1, [2, 3], { b: 'c' }], e: [], o: {} } }),
  fragment('users', { id: 1, name: 'Ada' }, { id: 2, name: 'Bob' }),
  fragment('mixed', 'x', ['y', '', []], { a: 'b' , c: ['', 'd']}, fragment('in','v')),
  fragment('hint', 'Snake_case & R&D, 1 < 2 <b> # ##'),
  fragment('empty', ''),
];
it('prints', () => {
  for (const r of [new XmlRenderer(), new TomlRenderer(), new ToonRenderer(), new MarkdownRenderer()]) process.stdout.write(r.render(f) + '\n=======\n');
  process.stdout.write(new XmlRenderer().render([{name:'a',data:fragment('b','c')}]));
});
it('times', () => {
  for (const R of [XmlRenderer, TomlRenderer, ToonRenderer, MarkdownRenderer]) {
    for (const make of [(n:number) => Array.from({length:n},(_, i)=>fragment(`name${i}`, `text ${i} of *many*`)),
      (n:number) => Array.from({length:n},(_, i)=>fragment('hint', `text ${i} of *many*`)),
      (n:number) => Array.from({length:n},(_, i)=>fragment('user', {id:i, name:`a_b ${i}`, tags:['a','b'], x: {y: i}})),
      (n:number) => [fragment('all', ...Array.from({length:n},(_, i)=>fragment(`user${i}`, {id:i, tags:['a','b']})))],
      (n:number) => [fragment('all', ...Array.from({length:n},(_, i)=>fragment(`user${i}`, {id:i})))],
    ]) {
    const t: string[] = [];
    for (const n of [1000, 10000, 40000]) { const fs = make(n); const a = performance.now(); new R().render(fs); t.push((performance.now()-a).toFixed(0)); }
    process.stdout.write(`${R.name} ${t.join(' / ')}\n`);
  }}
}, 300000);
