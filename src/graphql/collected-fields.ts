/**
 * What a document selects of an object, as execution collects it: along its fragments, and with what has the same
 * response name together. Whoever goes through selections goes through these: documents name, in a few lines, fragments
 * within fragments more often than there is time to follow, and what is merged is fewer by powers.
 */
import {
  isAbstractType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Where going through a document is given up: merged or not, it can name more fields than there is time to look at. */
export const MAX_VISITS = 10_000;

/** The fragments of a document by name, as the executor has them. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>;

export interface Document {
  schema: GraphQLSchema;
  fragments: Fragments;
}

/** Selections of an object: from one place in the document, or from several that are merged. */
export interface Part {
  selectionSet: SelectionSetNode;
  /** Of the object, as far as it is known; undefined where the document is wrong. */
  type: GraphQLNamedType | undefined;
}

/** A field, and the type that it is asked of: an object's, or that of the fragment around it. */
export interface CollectedField {
  node: FieldNode;
  type: GraphQLNamedType | undefined;
}

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode | undefined>;
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}

/**
 * The fields of an object by response name.
 * @param parts all that is selected of it: what they spread, they spread once together
 * @param isTaken shown every selection, however often a fragment is spread, with its own type where it is a fragment
 */
export function collectFields(
  { schema, fragments }: Document,
  parts: readonly Part[],
  isTaken: (selection: SelectionNode, type: GraphQLNamedType | undefined) => boolean = () => true,
): Map<string, CollectedField[]> {
  const fields = new Map<string, CollectedField[]>();
  const spread = new Set<string>();
  const collect = ({ selectionSet, type }: Part): void => {
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) {
        if (!isTaken(selection, type)) continue;
        const key = selection.alias?.value ?? selection.name.value;
        const merged = fields.get(key);
        if (merged === undefined) fields.set(key, [{ node: selection, type }]);
        else merged.push({ node: selection, type });
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      const condition = fragment?.typeCondition?.name.value;
      const within = condition === undefined ? type : schema.getType(condition);
      if (!isTaken(selection, within) || fragment === undefined) continue;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      collect({ selectionSet: fragment.selectionSet, type: within });
    }
  };
  parts.forEach(collect);
  return fields;
}

/** Whether what is selected of one type concerns objects of the other. */
export function applies(
  schema: GraphQLSchema,
  condition: GraphQLNamedType | undefined,
  type: GraphQLObjectType,
): boolean {
  return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
}
