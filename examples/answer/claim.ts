/** One process at a time writes the answer to a question: the one whose draft has the id of the newest attempt. */
import { ContextEngine, ContextError } from '@parley/context';
import type { ParleyServer, RivalDraft } from './parley-server.js';
import { attemptOf, claimId, MAX_CLAIMS, type Question } from './question.js';

export type Standing =
  /** The question is not a branch head that may be answered. */
  | { state: 'over' }
  | { state: 'free'; title: string | null }
  /** A draft that answers it grows. */
  | { state: 'written' }
  /** The process that claimed it has ended; `drafts` are its claims and earlier ones, the newest last. */
  | { state: 'left'; title: string | null; drafts: RivalDraft[]; attempt: number };

export interface Claim {
  /** Stored with the draft and the answer, and names the process. */
  metadata: { writer: string; model: string };
  /** Seconds. */
  idleTimeout: number;
}

/** @throws ContextError */
export async function readStanding(server: ParleyServer, question: Question): Promise<Standing> {
  const found = await server.standingOf(question);
  if (found === null) return { state: 'over' };
  const { title } = found;
  const claims = claimsAmong(question, found.drafts);
  const newest = claims.at(-1);
  // Only its own writer knows how to continue the draft of another program.
  if (claims.length < found.drafts.length) return { state: 'written' };
  if (newest === undefined) return { state: 'free', title };
  if (newest.draft.state !== 'ABANDONED') return { state: 'written' };
  return { state: 'left', title, drafts: claims.map(({ draft }) => draft), attempt: newest.attempt };
}

/**
 * Claims a question that is free or left. The second look after the claim excludes an answer that another
 * program has saved or started since the first look.
 * @returns the id of the draft to write; null when another process answers the question, or it is over
 * @throws ContextError
 */
export async function claimQuestion(
  server: ParleyServer,
  question: Question,
  standing: Extract<Standing, { state: 'free' | 'left' }>,
  { metadata, idleTimeout }: Claim,
): Promise<string | null> {
  const { chatId, branchName, messageId } = question;
  const { store } = server;
  const [attempt, left] = standing.state === 'left' ? [standing.attempt + 1, standing.drafts] : [1, []];
  const id = claimId(question, attempt);
  const place = { branch: branchName, expectedHeadId: messageId };
  try {
    await store.startDraft(chatId, { id, ...place, onConflict: 'FORK', metadata, idleTimeout });
  } catch (error) {
    if (error instanceof ContextError && error.code === 'ALREADY_EXISTS') return null;
    throw error;
  }
  for (const draft of left) await store.discardDraft(chatId, draft.id);
  const { drafts } = (await server.standingOf(question)) ?? { drafts: [] };
  const claims = claimsAmong(question, drafts);
  if (claims.at(-1)?.draft.id === id && claims.length === drafts.length) return id;
  await store.discardDraft(chatId, id);
  return null;
}

/**
 * Ends a left question without another answer, when a stop was requested or too many processes ended: its draft is saved as
 * far as it came.
 * @returns whether it was ended
 * @throws ContextError
 */
export async function endLeft(
  server: ParleyServer,
  question: Question,
  { drafts, attempt }: Extract<Standing, { state: 'left' }>,
): Promise<boolean> {
  const newest = drafts.at(-1);
  if (newest === undefined) return false;
  const { chatId, branchName: branch } = question;
  if (attempt < MAX_CLAIMS && !(await server.isStopped(chatId, newest))) return false;
  await engineOf(server, question, branch).finishDraft(newest.id);
  for (const draft of drafts.slice(0, -1)) await server.store.discardDraft(chatId, draft.id);
  return true;
}

/** An engine for drafts that exist: it creates no chat, and so needs no user. */
export function engineOf(server: ParleyServer, { chatId }: Question, branch: string): ContextEngine {
  return new ContextEngine({ store: server.store, chatId, userId: 'unused', branch });
}

/** The drafts that claim a question, in the order of their attempts. */
function claimsAmong(question: Question, drafts: readonly RivalDraft[]): { draft: RivalDraft; attempt: number }[] {
  return drafts
    .flatMap((draft) => {
      const attempt = attemptOf(question, draft.id);
      return attempt === null ? [] : [{ draft, attempt }];
    })
    .sort((a, b) => a.attempt - b.attempt);
}
