import type { ReactNode } from 'react';
import { words } from './words.js';

/** Where the server wants to know who asks. The token stays in the page, and is gone with it. */
export function SignIn({ reason, onToken }: { reason: string; onToken: (token: string) => void }): ReactNode {
  const enter = (form: FormData) => {
    const token = form.get('token');
    if (typeof token === 'string') onToken(token.trim().replace(/^Bearer +/i, ''));
  };
  return (
    <main className="sign-in">
      <h1>{words.title}</h1>
      <form action={enter}>
        <label htmlFor="token">{words.token}</label>
        <textarea id="token" name="token" rows={6} autoComplete="off" spellCheck={false} required />
        <button>{words.enter}</button>
        <output>{reason}</output>
      </form>
    </main>
  );
}
