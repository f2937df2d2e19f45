import { GitFork, KeyRound } from 'lucide-react';
import { use, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { TokenContext } from '../token.js';
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
        <h1>Sign in to Parley</h1>
        <p>This server requires a token. Its operator issues tokens.</p>
        <label htmlFor="token">Token</label>
        <textarea id="token" name="token" rows={4} autoComplete="off" spellCheck={false} required autoFocus />
        {!isFirst && <p role="alert">{reason}</p>}
        <Button type="submit" tone="accent" icon={KeyRound}>
          Sign in
        </Button>
        <small>The page keeps the token in memory until you close or reload it.</small>
      </form>
    </main>
  );
}
