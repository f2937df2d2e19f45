import { GitFork, KeyRound, LogIn } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { forgetUser, readIssuer, signIn, signInAtIssuer } from '../session.js';
import './sign-in.css';

/** The sign-in at the issuer, and the form for a token, with which the server opens a session. */
export default function SignIn({ onSignedIn }: { onSignedIn: () => void }): ReactNode {
  const [failed, setFailed] = useState('');
  const [issuer, setIssuer] = useState<string | null>(null);
  useEffect(forgetUser, []);
  useEffect(() => void readIssuer().then(setIssuer), []);
  const show = (reason: Error) => setFailed(reason.message);
  const enter = async (form: FormData) => {
    const token = form.get('token');
    if (typeof token !== 'string') return;
    setFailed('');
    await signIn(token).then(onSignedIn, show);
  };
  const open = () => {
    setFailed('');
    void signInAtIssuer().catch(show);
  };
  return (
    <main className="sign-in">
      <form action={enter}>
        <GitFork aria-hidden />
        <h1>Sign in to Parley</h1>
        {issuer === null ? (
          <p>This server requires a token. Its operator issues tokens.</p>
        ) : (
          <Button tone="accent" icon={LogIn} onClick={open}>
            Sign in with {issuer}
          </Button>
        )}
        <label htmlFor="token">Token</label>
        <input id="token" name="token" type="password" autoComplete="off" required autoFocus />
        {failed !== '' && <p role="alert">{failed}</p>}
        <Button type="submit" tone={issuer === null ? 'accent' : 'plain'} icon={KeyRound}>
          {issuer === null ? 'Sign in' : 'Sign in with the token'}
        </Button>
        <small>All tabs of this browser stay signed in until the token expires or you sign out.</small>
      </form>
    </main>
  );
}
