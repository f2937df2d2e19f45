/** The questions and answers of a chat as they must be saved, from the requests of its pages. */
import type { AnswerProcess } from './answer-process.js';

/** A request for an answer, sent again until a process accepts it; a regeneration is sent once. */
export interface AnswerRequest {
  question: Question;
  sentAt: number;
  /** The processes that received it. */
  processes: Set<AnswerProcess>;
  /** Set by the first chunk that a page reads. */
  answerId?: string;
  /** The text of an error chunk. */
  error?: string;
}

interface Interruption {
  from: number;
  to: number;
  isKill: boolean;
}

export interface Question {
  text: string;
  /** Set by the first response. */
  id?: string;
  requests: AnswerRequest[];
  /** Intervals in which answers may have been stopped or may have lost their process. */
  interruptions: Interruption[];
}

/** A saved message, as GraphQL returns it. */
export interface SavedMessage {
  id: string;
  parentId: string | null;
  name: string;
  text: string;
  data: unknown;
  createdAt: string;
}

/** The longest text of an answer that a page has shown. */
interface Shown {
  /** Received by a subscription of Parley. */
  stored: string;
  /** Received from a process, which can be killed before Parley has the last words. */
  streamed: string;
}

export class ExpectedAnswers {
  readonly #questions = new Map<string, Question>();
  readonly #shown = new Map<string, Shown>();
  /** Contradictions found while the test runs. */
  readonly failures: string[] = [];

  constructor(private readonly chatId: string) {}

  /** @param last whether the model fails after these words */
  ask(words: number, last: 'ends' | 'fails'): Question {
    const name = `${this.chatId}-q${this.#questions.size}`;
    const text = `${name} ${words} words${last === 'fails' ? ', then fails' : ''}`;
    const question: Question = { text, requests: [], interruptions: [] };
    this.#questions.set(text, question);
    return question;
  }

  /** The question of a message that a page shows. */
  find(text: string): Question | undefined {
    return this.#questions.get(text);
  }

  /** @returns a function that ends the interval in which answers to a question may be stopped */
  interrupt(question: Question | undefined): () => void {
    const interruption = { from: Date.now(), to: Infinity, isKill: false };
    question?.interruptions.push(interruption);
    return () => (interruption.to = Date.now());
  }

  killed(process: AnswerProcess, from: number): void {
    for (const { requests, interruptions } of this.#questions.values()) {
      if (requests.some(({ processes }) => processes.has(process)))
        interruptions.push({ from, to: Date.now(), isKill: true });
    }
  }

  accepted(question: Question, id: string): void {
    question.id ??= id;
    if (question.id !== id) this.failures.push(`${question.text} has the ids ${question.id} and ${id}`);
  }

  started(request: AnswerRequest, answerId: string): void {
    request.answerId ??= answerId;
    const { text } = request.question;
    if (request.answerId !== answerId) this.failures.push(`${text}: ${request.answerId} is also ${answerId}`);
  }

  show(answerId: string, source: keyof Shown, text: string): void {
    const shown = this.#shown.get(answerId) ?? { stored: '', streamed: '' };
    this.#shown.set(answerId, shown);
    const [short, long] = [shown[source], text].sort((a, b) => a.length - b.length) as [string, string];
    if (!long.startsWith(short)) this.failures.push(`${answerId} was "${short}", and then "${long}"`);
    shown[source] = long;
  }

  /** @returns the number of answers, and all contradictions of the requests */
  compare(messages: readonly SavedMessage[]): { answers: number; failures: string[] } {
    const failures = [...this.failures];
    const ofUser = messages.filter(({ name }) => name === 'user');
    for (const { text } of ofUser) if (!this.#questions.has(text)) failures.push(`"${text}" was not asked`);
    let answers = 0;
    for (const question of this.#questions.values()) {
      const ids = ofUser.filter(({ text }) => text === question.text).map(({ id }) => id);
      const isSaved = ids.length === 1 && ids[0] === (question.id ?? ids[0]);
      if (!isSaved) failures.push(`${question.text}: ${question.id} is ${ids.join()}`);
      const saved = messages.filter(({ parentId, name }) => parentId === ids[0] && name === 'assistant');
      answers += saved.length;
      failures.push(...this.#compareAnswers(question, saved).map((failure) => `${question.text}: ${failure}`));
    }
    if (messages.length !== ofUser.length + answers) failures.push(`there are ${messages.length} messages`);
    return { answers, failures };
  }

  #compareAnswers(question: Question, saved: readonly SavedMessage[]): string[] {
    const { requests } = question;
    const unnamed = requests.filter(({ answerId }) => answerId === undefined);
    const named = new Map(requests.map((request) => [request.answerId, request]));
    const unrequested = saved.filter(({ id }) => !named.has(id));
    const failures: string[] = [];
    if (unrequested.length > unnamed.length) failures.push(`${unrequested.length} answers, ${unnamed.length} requests`);
    for (const message of saved) {
      const { sentAt } = named.get(message.id) ?? { sentAt: Math.min(...unnamed.map(({ sentAt }) => sentAt)) };
      failures.push(...this.#compareAnswer(question, message, sentAt));
    }
    for (const request of requests.filter(({ answerId }) => !saved.some(({ id }) => id === answerId))) {
      const { answerId, sentAt, error = 'without an error' } = request;
      if (answerId === undefined && unrequested.length >= unnamed.length) continue;
      const { stored, streamed } = this.#shown.get(answerId ?? '') ?? { stored: '', streamed: '' };
      const wasKilled = isInterrupted(question, sentAt, Infinity, true);
      const mayBeEmpty = wordsOf(question.text).words === 0 || isInterrupted(question, sentAt, Infinity);
      if (!mayBeEmpty) failures.push(`the answer ${answerId} is missing, ${error}`);
      if (stored !== '') failures.push(`the answer ${answerId} is missing: ${stored}`);
      if (streamed !== '' && !wasKilled) failures.push(`the answer ${answerId} is missing: ${streamed}`);
    }
    return failures;
  }

  #compareAnswer(question: Question, message: SavedMessage, sentAt: number): string[] {
    const failures: string[] = [];
    const { id, text, data } = message;
    const { parts = [], metadata } = data as { parts?: { state?: string }[]; metadata?: { status?: string } };
    const expected = answerTo(question.text);
    const { fails } = wordsOf(question.text);
    const isIncomplete = metadata?.status === 'incomplete';
    const wasInterrupted = isInterrupted(question, sentAt, Date.parse(message.createdAt));
    if (parts.some(({ state }) => state === 'streaming')) failures.push(`${id} is streaming`);
    if (isIncomplete ? !expected.startsWith(text) : text !== expected || fails) failures.push(`${id} is "${text}"`);
    if (isIncomplete && !wasInterrupted && !(fails && text === expected)) failures.push(`${id} ended early: "${text}"`);
    const { stored, streamed } = this.#shown.get(id) ?? { stored: '', streamed: '' };
    if (!text.startsWith(stored)) failures.push(`${id} has lost words: "${text}" of "${stored}"`);
    const wasKilled = isInterrupted(question, sentAt, Date.parse(message.createdAt), true);
    const mayLack = wasKilled && streamed.startsWith(text);
    if (!text.startsWith(streamed) && !mayLack) failures.push(`${id} has lost words: "${text}" of "${streamed}"`);
    return failures;
  }
}

/** @param isKill whether by a kill */
function isInterrupted({ interruptions }: Question, sentAt: number, endedAt: number, isKill = false): boolean {
  return interruptions.some((each) => each.from <= endedAt && each.to >= sentAt && (each.isKill || !isKill));
}

function wordsOf(question: string): { name: string; words: number; fails: boolean } {
  const [, name = '', words, fails] = /^(\S+) (\d+) words(, then fails)?$/.exec(question) ?? [];
  return { name, words: Number(words), fails: fails !== undefined };
}

/** The whole answer of the model of answer-process.mjs. */
function answerTo(question: string): string {
  const { name, words } = wordsOf(question);
  return Array.from({ length: words }, (_, n) => `${name}.${n} `).join('');
}
