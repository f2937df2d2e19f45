/** Places of messages as inputs: null is the start, and undefined not given. */

export const at = (id: string | null | undefined) =>
  id === undefined ? undefined : id === null ? { start: true } : { message: id };

export const expectedHead = (id: string | null | undefined) =>
  id === undefined ? undefined : id === null ? { empty: true } : { id };
