/**
 * The overhead of the context library: resolving against reading the chain alone, and rendering many fragments against
 * few.
 */
import { join } from 'node:path';
import {
  ContextEngine,
  explain,
  guardrail,
  hint,
  term,
  fragment,
  type ContextFragment,
  type ContextRenderer,
  MarkdownRenderer,
  TomlRenderer,
  ToonRenderer,
  XmlRenderer,
} from '@parley/context';
import { openDatabase } from '../../src/database/opening/open.js';
import { openContextStore } from '../../src/features/in-process/open-context-store.js';
import { VIEWER, writeChain } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';

const RENDERERS: Record<string, ContextRenderer> = {
  XML: new XmlRenderer(),
  Markdown: new MarkdownRenderer(),
  TOML: new TomlRenderer(),
  TOON: new ToonRenderer(),
};

export async function* measureContext(folder: string): AsyncGenerator<Ratio> {
  yield await measureResolve(join(folder, 'context.db'));
  for (const [format, renderer] of Object.entries(RENDERERS)) yield await measureRenderer(format, renderer);
}

async function measureResolve(file: string): Promise<Ratio> {
  const { store } = await openDatabase({ url: `file:${file}` });
  await writeChain(store, 'long', 1_000);
  await store.close();
  const context = await openContextStore({ databaseUrl: `file:${file}`, viewer: VIEWER });
  const engine = new ContextEngine({ store: context, chatId: 'long', userId: VIEWER.userId }).set(...someFragments(20));
  const renderer = new XmlRenderer();
  const times = await medians(
    {
      chain: () => context.getMessageChain('long-999'),
      resolve: () => engine.resolve({ renderer }),
    },
    60,
  );
  await context.close();
  return ratioOf('resolve of 1,000 messages against their chain', times.resolve, times.chain, 1.5);
}

/**
 * Linear rendering of twice the fragments takes twice the time, plus cache misses; quadratic rendering would have the
 * ratio 2.
 */
async function measureRenderer(format: string, renderer: ContextRenderer): Promise<Ratio> {
  const [few, many] = [someFragments(5_000), someFragments(10_000)];
  const times = await medians(
    {
      few: () => renderer.render(few),
      many: () => renderer.render(many),
    },
    6,
  );
  return ratioOf(`10,000 fragments in ${format} against twice 5,000`, times.many, 2 * times.few, 1.5);
}

/** Fragments of several kinds, including nested fragments and siblings. */
function someFragments(count: number): ContextFragment[] {
  return Array.from({ length: count }, (_, n) => {
    switch (n % 5) {
      case 0:
        return hint(`Never join orders with items #${n} without a filter on the date.`);
      case 1:
        return term(`metric ${n}`, 'the number of orders <a day> & week');
      case 2:
        return guardrail({ rule: 'Never show personal data.', reason: 'It is not ours to show.' });
      case 3:
        return fragment(`table ${n}`, hint('Use *this* one.'), explain({ concept: 'id', explanation: 'counts up' }));
      default:
        return { name: 'limits', data: { rows: n, columns: [n, 'all', true] } };
    }
  });
}
