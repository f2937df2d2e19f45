/**
 * Collects the fields that a document selects of an object, as execution does: fragments expanded, equal response names
 * merged. All analyses of selections use it, because nested fragments can expand to more fields than time allows, and
 * merging bounds that.
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

/** Maximum number of visited selections: even merged, a document can name too many fields. */
export const MAX_VISITS = 10_000;

/** The fragments of a document by name, as the executor has them. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode | undefined>>;

export interface Document {
  schema: GraphQLSchema;
  fragments: Fragments;
}

/** Selections of an object, from one place in the document or from several merged places. */
export interface Part {
  selectionSet: SelectionSetNode;
  /** Type of the object; undefined for an invalid document. */
  type: GraphQLNamedType | undefined;
}

/** A field and its parent type: the object's, or that of the surrounding fragment. */
export interface CollectedField {
  node: FieldNode;
  type: GraphQLNamedType | undefined;
}

/** The fields of one response name. */
export type MergedFields = [CollectedField, ...CollectedField[]];

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode | undefined>;
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}

/**
 * The fields of an object by response name.
 * @param parts all selections of the object; a fragment is expanded once across them
 * @param isTaken called with each selection, including repeated fragments, with its own type where it is a fragment
 */
export function collectFields(
  { schema, fragments }: Document,
  parts: readonly Part[],
  isTaken: (selection: SelectionNode, type: GraphQLNamedType | undefined) => boolean = () => true,
): Map<string, MergedFields> {
  const fields = new Map<string, MergedFields>();
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

/** Whether selections on one type apply to objects of the other. */
export function applies(
  schema: GraphQLSchema,
  condition: GraphQLNamedType | undefined,
  type: GraphQLObjectType,
): boolean {
  return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
}
