/** The documents of docs/graphql and docs/graphs.md: operations with their variables, fragments, and cache settings. */
import { readFileSync } from 'node:fs';
import { Kind, parse, visit, type DocumentNode } from 'graphql';

const pageOf = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const DOCUMENT = ['graphql.md', 'graphql/threads.md', 'graphql/changes.md', 'graphql/drafts.md', 'graphql/caches.md']
  .map(pageOf)
  .join('\n');
/** The documents after this heading are for Relay only. */
const [forAll = '', forRelay = ''] = DOCUMENT.split('\n## Relay\n');

/** A document of the page, and the JSON that follows it. */
export interface Recipe {
  name: string;
  text: string;
  variables: Record<string, unknown>;
}

function recipesIn(markdown: string): Recipe[] {
  const blocks = markdown.matchAll(/```graphql\n([^]*?)```(?:\n\n```json\n([^]*?)```)?/g);
  return Array.from(blocks, ([, text = '', variables = '{}']) => ({
    name: nameIn(text),
    text,
    variables: JSON.parse(variables) as Record<string, unknown>,
  }));
}

function nameIn(text: string): string {
  const [, name] = /^\w+ (\w+)/.exec(text) ?? [];
  if (name === undefined) throw new Error(`a document without a name: ${text}`);
  return name;
}

const isFragment = ({ text }: Recipe) => text.startsWith('fragment');
const recipes = recipesIn(forAll);
const fragments = new Map(recipes.filter(isFragment).map(({ name, text }) => [name, text]));

/** The operations in page order, each with the fragments that it spreads. */
export const operations: readonly Recipe[] = recipes
  .filter((recipe) => !isFragment(recipe))
  .map((recipe) => ({ ...recipe, text: withFragments(recipe.text) }));

/** The operations of docs/graphs.md. */
export const graphOperations: readonly Recipe[] = recipesIn(pageOf('graphs.md'));

/** All documents in the form of Relay's compiler, by name. */
export const relayDocuments: ReadonlyMap<string, string> = new Map(
  [...recipes, ...recipesIn(forRelay)].map(({ name, text }) => [name, text]),
);

/** The programs of the page, by the name in their first line. */
export const programs: ReadonlyMap<string, string> = new Map(
  Array.from(DOCUMENT.matchAll(/```js\n(\/\/ (\S+\.js)\n[^]*?)```/g), ([, code = '', name = '']) => [name, code]),
);

/** The configuration of Relay's compiler. */
export const relayConfig = JSON.parse(/```json\n([^]*?)```/.exec(forRelay)?.[1] ?? '') as {
  schema: string;
  schemaConfig: object;
};

function withFragments(text: string): string {
  const names = new Set<string>();
  const take = (document: DocumentNode) =>
    visit(document, {
      [Kind.FRAGMENT_SPREAD]: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (fragment === undefined) throw new Error(`the page has no fragment ${name.value}`);
        if (names.has(name.value)) return;
        names.add(name.value);
        take(parse(fragment));
      },
    });
  take(parse(text));
  return [text, ...[...names].map((name) => fragments.get(name)!)].join('\n');
}
