/**
 * The conversations and the questions of the texts in a file, found by names of members only: this walk knows no format and
 * shares no code with the readers.
 */
import { marksIn, marksOf } from './marked-sample.js';

export interface SourceTexts {
  /** The ids of chats that a text has in the file, as `member: id`. A text in two chats has both. */
  readonly chats: ReadonlyMap<string, ReadonlySet<string>>;
  readonly asked: ReadonlySet<string>;
  /** The questions that each answer follows. Answers whose parents are missing have none. */
  readonly questions: ReadonlyMap<string, ReadonlySet<string>>;
}

type Value = Readonly<Record<string, unknown>>;

const CHAT_ID = /^(chat|conversation|conv|thread|session|topic)_?id$/i;
const IDS = ['id', 'uuid', 'message_id', 'messageId', 'messageUuid', 'response_id', '_id'];
const PARENTS = [
  'parent',
  'parentId',
  'parent_id',
  'parentUuid',
  'parent_message_uuid',
  'parentMessageId',
  'parent_response_id',
];
/** Elements with such a member are no plain list of turns. */
const ALTERNATIVES = ['children', 'childrenIds', 'ancestors', 'swipes', 'versions', 'branchIndex', 'threadId'];
/** A message can lie within another object, whose links it has. */
const INNER = ['message', 'payload', 'info', 'data', 'response'];

/** Whether a value or an object in it has the id of a chat. */
export function namesChat(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesChat);
  return isObject(value) && Object.entries(value).some(([name, each]) => CHAT_ID.test(name) || namesChat(each));
}

interface Turn {
  readonly own: Value;
  /** Its JSON. */
  readonly text: string;
  readonly marks: ReadonlySet<string>;
  readonly role: 'user' | 'assistant' | 'other';
}

export function sourceTexts(values: readonly unknown[]): SourceTexts {
  const chats = new Map<string, Set<string>>();
  const asked = new Set<string>();
  const questions = new Map<string, Set<string>>();
  const byId = new Map<string, Turn[]>();
  const linked: Turn[] = [];
  const addTo = (sets: Map<string, Set<string>>, key: string, value: string) => {
    const set = sets.get(key);
    if (set === undefined) sets.set(key, new Set([value]));
    else set.add(value);
  };
  const answers = new Set<Turn>();
  const note = (answer: Turn, question: Turn) => {
    answers.add(answer);
    for (const each of answer.marks) for (const mark of question.marks) addTo(questions, each, mark);
  };
  const visit = (value: unknown, ids: readonly string[]): void => {
    if (typeof value === 'string') for (const mark of marksIn(value)) for (const id of ids) addTo(chats, mark, id);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      visitTurns(value);
      for (const each of value) visit(each, ids);
      return;
    }
    const own = value as Value;
    const chat = chatIn(own);
    const all = chat === null ? ids : [chat];
    const turn = linkedTurn(own);
    if (turn !== null) {
      linked.push(turn);
      const id = idOf(own) as string;
      byId.set(id, [...(byId.get(id) ?? []), turn]);
    }
    for (const each of Object.values(own)) visit(each, all);
  };
  const visitTurns = (list: readonly unknown[]): void => {
    const turns = list.filter(isObject).map(turnOf);
    if (turns.some(({ own }) => isBranching(own))) return;
    const latest = new Map<string, Turn>();
    for (const turn of turns) {
      const chat = chatIn(turn.own);
      if (turn.role === 'user' && turn.marks.size > 0) latest.set(String(chat), turn);
      for (const mark of turn.role === 'user' ? turn.marks : []) asked.add(mark);
      const question = latest.get(String(chat));
      if (turn.role === 'assistant' && question !== undefined) note(turn, question);
    }
  };
  visit(values, []);
  for (const turn of linked) for (const mark of turn.role === 'user' ? turn.marks : []) asked.add(mark);
  for (const turn of linked) {
    if (turn.role !== 'assistant') continue;
    for (const question of questionsAbove(turn, byId)) note(turn, question);
  }
  // A session that continues another one has the id of both.
  const continued = new Map<string, string>();
  const firstOf = (id: string): string => (continued.has(id) ? firstOf(continued.get(id) as string) : id);
  for (const turn of linked) {
    for (const parent of byId.get(String(parentIn(turn.own))) ?? []) {
      const [own, other] = [turn, parent].map((each) => firstOf(String(chatIn(each.own))));
      if (own !== other) continued.set(own as string, other as string);
    }
  }
  for (const ids of chats.values()) for (const id of ids) ids.add(firstOf(id));
  // A text that is also elsewhere can follow other questions.
  const [all, inAnswers] = [countsIn([JSON.stringify(values)]), countsIn([...answers].map(({ text }) => text))];
  for (const mark of questions.keys()) if (all.get(mark) !== inAnswers.get(mark)) questions.delete(mark);
  return { chats, asked, questions };
}

/** How often each mark occurs in texts. */
function countsIn(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const mark of texts.flatMap(marksOf)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}

/** Whether a turn names others, or has versions. */
function isBranching(own: Value): boolean {
  return (
    [...PARENTS, ...ALTERNATIVES].some((name) => name in own) ||
    INNER.some((name) => isObject(own[name]) && isBranching(own[name]))
  );
}

/** The nearest questions above a turn: several, if messages share an id. */
function questionsAbove(turn: Turn, byId: ReadonlyMap<string, readonly Turn[]>): Turn[] {
  const found: Turn[] = [];
  const seen = new Set([turn]);
  const open = [turn];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const parent of byId.get(String(parentIn(at.own))) ?? []) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      if (parent.role === 'user' && parent.marks.size > 0) found.push(parent);
      else open.push(parent);
    }
  }
  return found;
}

function linkedTurn(own: Value): Turn | null {
  return parentIn(own) === undefined || idOf(own) === null ? null : turnOf(own);
}

function turnOf(own: Value): Turn {
  const text = JSON.stringify(withoutTurns(own, true));
  return { own, text, marks: marksIn(text), role: roleOf(own) };
}

/** Without replies, which are turns of their own. */
function withoutTurns(value: unknown, isTop = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTurns(each));
  if (!isObject(value)) return value;
  if (!isTop && parentIn(value) !== undefined && idOf(value) !== null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutTurns(each)]));
}

function roleOf(own: Value): Turn['role'] {
  const { role, author, sender, from, type, isCreatedByUser, is_user } = own;
  const named = [role, isObject(author) ? author['role'] : author, sender, from, type].find(
    (each) => typeof each === 'string' && each !== 'message' && each !== 'response_item',
  );
  if (isCreatedByUser === true || is_user === true) return 'user';
  if (typeof named === 'string' && /^(user|human|prompter)$/i.test(named)) return 'user';
  if (typeof named === 'string' && /^(assistant|ai|bot|gpt|model|gemini)$/i.test(named)) return 'assistant';
  const inner = INNER.map((name) => own[name]).find(isObject);
  return inner === undefined ? 'other' : roleOf(inner);
}

/** The first id of a chat in an object, as `member: id`. */
function chatIn(own: Value): string | null {
  const [name, id] = Object.entries(own).find(([each, value]) => CHAT_ID.test(each) && isId(value)) ?? [];
  return name === undefined ? null : `${name}: ${String(id)}`;
}

function parentIn(own: Value): unknown {
  const name = PARENTS.find((each) => each in own);
  return name === undefined ? undefined : own[name];
}

function idOf(own: Value): string | null {
  const name = IDS.find((each) => isId(own[each]));
  const { message } = own;
  return name !== undefined ? String(own[name]) : isObject(message) ? idOf(message) : null;
}

function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isObject(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
