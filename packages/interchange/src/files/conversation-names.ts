/** Selects the files of a zip or a folder that hold conversations. */
import { UnreadableError } from './unreadable.js';

/**
 * In any folder. Newer exports are split into conversations-000.json and so on. Claude also has a folder with a file
 * for each conversation; Gemini in Workspace has conversation_1.txt.
 */
const CONVERSATIONS =
  /(^|\/)((conversations(-\d+)?|(conversations|design_chats)\/[^/]+)\.json|conversation_\d+\.txt)$/i;
/** In some exports, each part is a zip: Conversations__…-0001.zip. */
const PARTS = /(^|\/)(conversations|design_chats)[^/]*\.zip$/i;
/** Other files that can hold conversations. AI Studio's files have no extension; Takeout's HTML has any name. */
const MAYBE = /(\.jsonl?|\.ndjson|\.html?|\/[^./]+)$/i;
/** Files in memory, at up to three kilobytes each. */
const MAX_FILES = 50_000;
/** Files that packing programs create. */
const NOISE = /(^|\/)(__MACOSX\/|\.)/;

/** The files with a name for conversations, else all that can hold some: `isMaybe`. */
export class ConversationNames<Entry> {
  readonly #named: [string, Entry][] = [];
  readonly #others: [string, Entry][] = [];
  readonly #parts: [string, Entry][] = [];

  static isNoise(name: string): boolean {
    return NOISE.test(name);
  }

  /** @param name the path, with slashes */
  add(name: string, entry: Entry): void {
    const names = this.#namesOf(`/${name}`);
    if (names !== null && names.length <= MAX_FILES) names.push([name, entry]);
  }

  #namesOf(path: string): [string, Entry][] | null {
    if (CONVERSATIONS.test(path)) return this.#named;
    if (PARTS.test(path)) return this.#parts;
    return MAYBE.test(path) ? this.#others : null;
  }

  get isMaybe(): boolean {
    return this.#named.length === 0;
  }

  /**
   * Sorted by name.
   * @throws UnreadableError when there are too many
   */
  get chosen(): Entry[] {
    return sorted(this.isMaybe ? this.#others : this.#named);
  }

  /** The zips that hold the conversations, sorted by name; none if the conversations are in files. */
  get parts(): Entry[] {
    return this.isMaybe ? sorted(this.#parts) : [];
  }
}

function sorted<Entry>(entries: [string, Entry][]): Entry[] {
  if (entries.length > MAX_FILES) {
    throw new UnreadableError(`More than ${MAX_FILES.toLocaleString('en')} files in it may hold conversations`);
  }
  return entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
