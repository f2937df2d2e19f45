/** Which of the files in a zip or a folder hold conversations. */
import { UnreadableError } from './unreadable.js';

/**
 * In any folder; newer exports are split into conversations-000.json, conversations-001.json and so on. Claude has, or
 * has beside it, a file for each conversation in a folder; Gemini's in Workspace are called conversation_1.txt.
 */
const CONVERSATIONS =
  /(^|\/)((conversations(-\d+)?|(conversations|design_chats)\/[^/]+)\.json|conversation_\d+\.txt)$/i;
/** In the zips and folders of some exports, each part is a zip of its own: Conversations__…-0001.zip. */
const PARTS = /(^|\/)(conversations|design_chats)[^/]*\.zip$/i;
/** What else may hold some; files without an extension are those of AI Studio, HTML is called anything in Takeout. */
const MAYBE = /(\.jsonl?|\.ndjson|\.html?|\/[^./]+)$/i;
/** Files that are remembered, by up to three kilobytes each. */
const MAX_FILES = 50_000;
/** What packers leave behind. */
const NOISE = /(^|\/)(__MACOSX\/|\.)/;

/** Those that are called conversations, else all that may hold some: `isMaybe`. */
export class ConversationNames<Entry> {
  readonly #named: [string, Entry][] = [];
  readonly #others: [string, Entry][] = [];
  readonly #parts: [string, Entry][] = [];

  static isNoise(name: string): boolean {
    return NOISE.test(name);
  }

  /** @param name with the folders that it is in, and slashes between */
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
   * By their names.
   * @throws UnreadableError when there are too many
   */
  get chosen(): Entry[] {
    return sorted(this.isMaybe ? this.#others : this.#named);
  }

  /** The zips that hold them instead, by their names; none where they lie there as they are. */
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
