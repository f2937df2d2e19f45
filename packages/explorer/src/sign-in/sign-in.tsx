import { GitFork, KeyRound } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { forgetUser, signIn } from '../session.js';
import './sign-in.css';

/** The form for a token, with which the server opens a session. */
export default function SignIn({ onSignedIn }: { onSignedIn: () => void }): ReactNode {
  const [failed, setFailed] = useState('');
  useEffect(forgetUser, []);
  const enter = async (form: FormData) => {
    const token = form.get('token');
    if (typeof token !== 'string') return;
    setFailed('');
    await signIn(token).then(onSignedIn, (reason: Error) => setFailed(reason.message));
  };
  return (
    <main className="sign-in">
      <form action={enter}>
        <GitFork aria-hidden />
        <h1>Sign in to Parley</h1>
        <p>This server requires a token. Its operator issues tokens.</p>
        <label htmlFor="token">Token</label>
        <input id="token" name="token" type="password" autoComplete="off" required autoFocus />
        {failed !== '' && <p role="alert">{failed}</p>}
        <Button type="submit" tone="accent" icon={KeyRound}>
          Sign in
        </Button>
        <small>All tabs of this browser stay signed in until the token expires or you sign out.</small>
      </form>
    </main>
  );
}
