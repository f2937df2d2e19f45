/**
 * A plugin of GraphQL Code Generator: each operation as a text that has the types of its variables and its result. Fragments
 * are constants, so that a bundle contains each of them once.
 */
import { print, stripIgnoredCharacters, visit } from 'graphql';

/**
 * @param {import('graphql').GraphQLSchema} _schema
 * @param {{ document: import('graphql').DocumentNode }[]} documents
 * @param {{ operationFrom?: string, isIndented?: boolean }} config the module of the function `operation`, and whether texts
 *   keep their line breaks
 */
export function plugin(_schema, documents, { operationFrom = '../connection/operation.js', isIndented = false }) {
  const textOf = (definition) => {
    const text = print(definition);
    return JSON.stringify(isIndented ? `${text}\n` : stripIgnoredCharacters(text));
  };
  const definitions = documents.flatMap(({ document }) => document.definitions);
  const fragments = new Map(
    definitions.filter(({ kind }) => kind === 'FragmentDefinition').map((each) => [each.name.value, each]),
  );
  const operations = definitions.filter(({ kind }) => kind === 'OperationDefinition');
  const constants = [...fragments].map(([name, definition]) => `const ${constantOf(name)} = ${textOf(definition)};`);
  const texts = operations.map((definition) => {
    const name = definition.name.value;
    const type = name + definition.operation.replace(/^./, (first) => first.toUpperCase());
    const text = [textOf(definition), ...namesOfFragments(definition, fragments).map(constantOf)].join(' + ');
    return `export const ${name} = /* @__PURE__ */ operation<${type}, ${type}Variables>(\n  ${text},\n);`;
  });
  return {
    prepend: [
      '/* eslint-disable */',
      '// Written by GraphQL Code Generator from operations.graphql.',
      `import { operation } from '${operationFrom}';`,
      '',
    ],
    content: [...constants, ...texts, ''].join('\n'),
  };
}

/** The fragments that a definition uses, those of its fragments included. */
function namesOfFragments(definition, fragments, found = new Set()) {
  visit(definition, {
    FragmentSpread({ name: { value } }) {
      if (found.has(value)) return;
      found.add(value);
      namesOfFragments(fragments.get(value), fragments, found);
    },
  });
  return [...found];
}

function constantOf(name) {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}
