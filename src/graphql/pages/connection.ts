/** Relay connections: their types, and their construction from a page of rows. */
import type { InterfaceRef, ObjectRef } from '@pothos/core';
import type { Page, PageRequest, Slice } from '../../conversation/paging.js';
import { builder, type Types } from '../builder.js';
import { decodeCursor, encodeCursor, type NumberedList } from './cursors.js';
import { takeRows } from '../answers/plain-lists.js';
import { plain, plainObject } from '../answers/plain-members.js';
import { readPage, type PageArguments } from './page-arguments.js';

export interface Edge<T> {
  cursor: string;
  node: T;
}

/** A page whose edges and cursors are made when they are selected. */
export interface Connection<T> {
  page: Page<T>;
  cursorOf: (row: T) => string;
}

export interface CountedConnection<T> extends Connection<T> {
  /** A function when counting needs its own statement, which runs only if selected. */
  totalCount: number | (() => Promise<number>);
}

type NodeRef<T> = ObjectRef<Types, T> | InterfaceRef<Types, T>;

/** The types XConnection and XEdge, which is its `edge`, over a type X. */
export function connectionRef<T>(typename: string, node: NodeRef<T>) {
  const edge = builder.objectRef<Edge<T>>(`${typename}Edge`).implement({
    description: `A ${typename} in a list.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        ...plain(({ cursor }: { cursor: string }) => JSON.stringify(cursor)),
        description: 'Pass it as `after` or `before` to continue from here.',
      }),
      node: t.field({
        ...plainObject((parent: { node: T }) => parent.node),
        type: node,
        description: `The ${typename} itself.`,
        resolve: (parent) => parent.node as never,
      }),
    }),
  });
  const connection = builder.objectRef<Connection<T>>(`${typename}Connection`).implement({
    description: `A page of a list of ${typename} objects.`,
    fields: (t) => ({
      edges: t.field({
        extensions: { isCountedBefore: true },
        type: [edge],
        description: 'The elements of the page, each with its cursor.',
        resolve: ({ page: { rows }, cursorOf }, _args, context, info) => {
          context.budget?.take(rows.length, info);
          const edges = rows.map((row) => ({ cursor: cursorOf(row), node: row }));
          return takeRows(context, edges, info);
        },
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'Whether there is more, and the cursors to continue from.',
        resolve: ({ page: { rows, hasNextPage, hasPreviousPage }, cursorOf }) => {
          const [first] = rows;
          const last = rows.at(-1);
          return {
            hasNextPage,
            hasPreviousPage,
            startCursor: first === undefined ? null : cursorOf(first),
            endCursor: last === undefined ? null : cursorOf(last),
          };
        },
      }),
    }),
  });
  return Object.assign(connection, { edge });
}

type CountedConnectionRef<T> = ObjectRef<Types, CountedConnection<T>> &
  Pick<ReturnType<typeof connectionRef<T>>, 'edge'>;

/** A connection with totalCount, the length of the whole list. */
export function countedConnectionRef<T>(typename: string, node: NodeRef<T>) {
  const ref = connectionRef(typename, node) as CountedConnectionRef<T>;
  builder.objectField(ref, 'totalCount', (t) =>
    t.int({
      description: 'The length of the whole list.',
      resolve: ({ totalCount }) => (typeof totalCount === 'function' ? totalCount() : totalCount),
    }),
  );
  return ref;
}

export const EMPTY_PAGE = { rows: [], hasNextPage: false, hasPreviousPage: false };

type LoadPage<T> = (page: PageRequest<number>) => Promise<Slice<T>>;

/** As loadConnection, of rows whose position is their seq. */
export function loadNumbered<T extends { seq: number }>(list: NumberedList, args: PageArguments, load: LoadPage<T>) {
  return loadConnection(list, args, load, (row) => row.seq);
}

/**
 * The connection of a field with page arguments.
 * @param load loads the requested page
 * @param positionOf returns the position of a row in its list
 * @throws GraphQLError with code BAD_USER_INPUT when the arguments are wrong
 */
export async function loadConnection<T>(
  list: NumberedList,
  args: PageArguments,
  load: LoadPage<T>,
  positionOf: (row: T) => number,
): Promise<CountedConnection<T>> {
  const slice = await load(readPage(args, (cursor, argument) => decodeCursor(list, cursor, argument)));
  return { page: slice, cursorOf: (row) => encodeCursor(list, positionOf(row)), totalCount: slice.totalCount };
}
