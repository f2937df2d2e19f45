import { use, type ReactNode } from 'react';
import { TokenContext } from './token.js';
import { words } from './words.js';

/** The form for a token. The page keeps the token in memory only. */
export function SignIn({ reason, onToken }: { reason: string; onToken: (token: string) => void }): ReactNode {
  const isFirst = use(TokenContext) === null;
  const enter = (form: FormData) => {
    const token = form.get('token');
    if (typeof token === 'string') onToken(token.trim().replace(/^Bearer +/i, ''));
  };
  return (
    <main className="sign-in">
      <h1>{words.title}</h1>
      <form action={enter}>
        <label htmlFor="token">{words.token}</label>
        <textarea id="token" name="token" rows={6} autoComplete="off" spellCheck={false} required autoFocus />
        <button>{words.enter}</button>
        {isFirst ? <p>{words.tokenHint}</p> : <p role="alert">{reason}</p>}
      </form>
    </main>
  );
}
