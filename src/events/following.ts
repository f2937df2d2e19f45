/** A position in a stream. Both numbers only increase. */
export interface StreamPosition {
  /** The seq of an event, the number of a change, or the number of items of a part of a chat. */
  readonly position: number;
  /** The number of the last state change of a part; 0 in other streams. */
  readonly mark: number;
}

export function placeOf({ position, mark = 0 }: Following): StreamPosition {
  return { position, mark };
}

export function isAfter(a: StreamPosition, b: StreamPosition): boolean {
  return a.position > b.position || (a.position === b.position && a.mark > b.mark);
}

/** The progress of a subscriber along a stream; the stream and its owner share this object. */
export interface Following {
  /** Where a resumed subscription begins; null for a new one. */
  readonly startAt: number | null;
  /** Called before each item: the stream ends at this place; null: at the newest item. Absent: the stream has no end. */
  readonly until?: () => StreamPosition | null;
  /** The position of the last delivered item, after any skipped items. */
  position: number;
  /** The number of the last delivered state change of a part. Absent: none, or another stream. */
  mark?: number;
  /** Whether the followed chat or part has ended and all its items are delivered. */
  isOver: boolean;
  /** When the previous chat of this id was deleted, which identifies the followed chat. Undefined until known. */
  deletedAt?: number | null;
  /** The followed branch of a subscription by name, because branches can be renamed. Undefined until known. */
  branchId?: string;
  /** When the followed part began, because its id can be reused. Undefined until known. */
  partStartedAt?: number;
}
