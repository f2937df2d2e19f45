/** The sources of messages: earlier messages of the chat that a message draws on besides its parent. */
import { checkName, MAX_SOURCES } from '../bounds.js';
import { InvalidInputError } from '../errors.js';
import { checkEach } from '../input-problems.js';
import { isHere, notHere } from '../messages.js';
import type { Message, PlacedMessage, SourceMessage, Viewer } from '../model.js';
import type { LockedChat, MessagePlace } from '../store.js';

export interface NamedSources {
  readonly ids: readonly string[];
  /** Their path in the input, for errors. */
  readonly path: string;
}

interface InputMessage {
  readonly id?: string | null | undefined;
  readonly sourceIds?: readonly string[] | null | undefined;
}

/**
 * Checks the sources of messages in an input. A message of the same save must come before those that draw on it.
 * @param list the path of the messages in the input, for errors
 * @returns undefined for each message that does not give any; an empty array when none does
 * @throws InvalidInputError
 */
export function namedSources(messages: readonly InputMessage[], list: string): (NamedSources | undefined)[] {
  let hasSources = false;
  for (const { sourceIds } of messages) hasSources ||= sourceIds != null;
  if (!hasSources) return [];
  const places = new Map(messages.flatMap(({ id }, index) => (id == null ? [] : [[id, index] as const])));
  return checkEach(messages, ({ sourceIds: ids }, index) => {
    if (ids == null) return undefined;
    const path = `${list}.${index}.sourceIds`;
    if (ids.length > MAX_SOURCES) {
      throw new InvalidInputError(`${path} must have at most ${MAX_SOURCES} elements, not ${ids.length}`, path);
    }
    checkEach(ids, (id, n) => {
      const place = places.get(checkName(id, `${path}.${n}`));
      const fault =
        place === index
          ? 'is the message itself'
          : place !== undefined && place > index
            ? 'is a later message of this save'
            : ids.indexOf(id) < n
              ? `is the same as ${path}.${ids.indexOf(id)}`
              : null;
      if (fault !== null) throw new InvalidInputError(`${path}.${n} ${fault}: "${id}"`, `${path}.${n}`);
    });
    return { ids, path };
  });
}

/** The sources of one save, found with one read. */
export class SaveSources {
  #places: Promise<Map<string, MessagePlace>> | null = null;

  /** @param inputs all messages of the save */
  constructor(
    private readonly locked: LockedChat,
    private readonly viewer: Viewer,
    private readonly inputs: readonly { readonly sources?: NamedSources | undefined }[],
  ) {}

  /**
   * @param placed the new messages of this save by id
   * @throws NotFoundError when the chat has no message with an id
   */
  async find(
    { ids, path }: NamedSources,
    placed: (id: string) => PlacedMessage | undefined,
  ): Promise<readonly SourceMessage[]> {
    if (ids.length === 0) return [];
    const { locked, viewer } = this;
    this.#places ??= locked.placesOf([...new Set(this.inputs.flatMap(({ sources }) => sources?.ids ?? []))]);
    const places = await this.#places;
    const sources: SourceMessage[] = [];
    for (const [n, id] of ids.entries()) {
      const source = placed(id) ?? places.get(id) ?? null;
      if (!isHere(locked, source)) throw await notHere(locked, viewer, id, source, `${path}.${n}: `);
      sources.push({ id, seq: source.seq, contentHash: source.contentHash });
    }
    return sources;
  }

  /** Whether a saved or placed message has these sources in this order. */
  async areThoseOf(message: Message | PlacedMessage, { ids }: NamedSources): Promise<boolean> {
    const sources = 'sources' in message ? message.sources : await this.locked.sourcesOf(message);
    return sources.length === ids.length && sources.every(({ id }, n) => id === ids[n]);
  }
}
