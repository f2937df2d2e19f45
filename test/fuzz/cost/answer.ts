/** Sends one operation over HTTP, and classifies its response. */
import { request, type Agent } from 'node:http';

/** Characters of a response that are kept to classify it. */
export const KEPT = 2_000;

/** The code of the first error, if any, and the size of the response. */
export interface Answer {
  code: string | null;
  bytes: number;
}

export interface Recipient {
  url: string;
  agent: Agent;
  headers: Readonly<Record<string, string>>;
  /** The time limit for the response, in milliseconds. */
  patienceMs: number;
}

/** Sends an operation, and reads the complete response. @param payload as JSON */
export function postOperation({ url, agent, headers: own, patienceMs }: Recipient, payload: string): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...own };
    let [bytes, beginning, end] = [0, '', ''];
    const finish = () => resolve({ code: codeOf(beginning + end), bytes });
    const signal = AbortSignal.timeout(patienceMs);
    const asking = request(url, { method: 'POST', agent, headers, signal }, (answer) => {
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (beginning.length < KEPT) beginning += piece.toString('latin1', 0, KEPT);
        end = piece.toString('latin1', Math.max(0, piece.length - KEPT));
      });
      answer.once('close', finish).on('error', () => {});
    });
    asking.once('error', (error) => resolve({ code: signal.aborted ? 'GIVEN_UP' : error.message, bytes }));
    asking.end(payload);
  });
}

/** The code of the first error in a response. */
export function codeOf(text: string): string | null {
  return /"code":"([A-Z_]{4,})"/.exec(text)?.[1] ?? null;
}
