/** Converts positions to inputs of the contract: null is the start, undefined is absent. */

interface Place {
  expectedHeadId?: string | null | undefined;
  parentId?: string | undefined;
}

/** @param messageId null for the start of a thread */
export function toPosition(messageId: string | null): object {
  return messageId === null ? { start: true } : { message: messageId };
}

/** Replaces the place in options of a save or a draft. */
export function toPlace<Options extends Place>({ expectedHeadId, parentId, ...options }: Options): object {
  const expectedHead = expectedHeadId === null ? { empty: true } : { id: expectedHeadId };
  return {
    ...options,
    ...(expectedHeadId !== undefined && { expectedHead }),
    ...(parentId !== undefined && { at: toPosition(parentId) }),
  };
}
