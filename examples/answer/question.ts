/** Questions, and the ids under which processes claim them. */
import { v5 } from 'uuid';

/** The head of a branch that is a user's message. */
export interface Question {
  readonly chatId: string;
  readonly branchId: string;
  readonly branchName: string;
  readonly messageId: string;
}

/** After so many processes have ended while they answered it, a question is not answered again. */
export const MAX_CLAIMS = 5;

/** Another namespace would allow a second answer to every question that is being answered. */
const NAMESPACE = 'b8a1f6a4-64c5-4f0e-9a53-0d0f3f6a6c11';

export function questionKey({ branchId, messageId }: Pick<Question, 'branchId' | 'messageId'>): string {
  return JSON.stringify([branchId, messageId]);
}

/**
 * The id of the draft that claims a question. All processes derive the same id, so that the server accepts one claim.
 * @param attempt from 1; the next one replaces a claim whose process has ended
 */
export function claimId(question: Pick<Question, 'branchId' | 'messageId'>, attempt: number): string {
  return v5(JSON.stringify([question.branchId, question.messageId, attempt]), NAMESPACE);
}

/** The attempt that has a draft id; null for a draft of another writer. */
export function attemptOf(question: Pick<Question, 'branchId' | 'messageId'>, draftId: string): number | null {
  for (let attempt = 1; attempt <= MAX_CLAIMS; attempt++) if (claimId(question, attempt) === draftId) return attempt;
  return null;
}
