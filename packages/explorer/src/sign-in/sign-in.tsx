import { GitFork, KeyRound } from 'lucide-react';
import { use, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { TokenContext } from '../token.js';
import { words } from '../words.js';
import './sign-in.css';

/** The form for a token. The page keeps the token in memory only. */
export default function SignIn({ reason, onToken }: { reason: string; onToken: (token: string) => void }): ReactNode {
  const isFirst = use(TokenContext) === null;
  const enter = (form: FormData) => {
    const token = form.get('token');
    if (typeof token === 'string') onToken(token.trim().replace(/^Bearer +/i, ''));
  };
  return (
    <main className="sign-in">
      <form action={enter}>
        <GitFork aria-hidden />
        <h1>{words.signInTo}</h1>
        <p>{words.tokenHint}</p>
        <label htmlFor="token">{words.token}</label>
        <textarea id="token" name="token" rows={4} autoComplete="off" spellCheck={false} required autoFocus />
        {!isFirst && <p role="alert">{reason}</p>}
        <Button type="submit" tone="accent" icon={KeyRound}>
          {words.enter}
        </Button>
        <small>{words.tokenKept}</small>
      </form>
    </main>
  );
}
