'use client';
import { createParley, type Parley } from '@parley/client';
import { createFiles, type Files } from '@parley/client/files';
import { ParleyProvider, useChats } from '@parley/client/react';
import { useEffect, useState } from 'react';
import { Chat } from './chat';

interface Session {
  userId: string;
  url: string;
  token: string;
}

async function readSession(): Promise<Session | null> {
  const response = await fetch('/api/session');
  return response.ok ? ((await response.json()) as Session) : null;
}

/** Both call `token` again when a token has expired. */
const open = ({ url }: Session): { parley: Parley; files: Files } => {
  const options = { url, token: async () => (await readSession())?.token ?? null };
  return { parley: createParley(options), files: createFiles(options) };
};

/** A chat for a user who is signed in, the form to sign in for others. */
export function Session({ chatId }: { chatId: string }) {
  const [session, setSession] = useState<{ userId: string; parley: Parley; files: Files } | null>();
  const refresh = async () => {
    const found = await readSession();
    setSession(found && { userId: found.userId, ...open(found) });
  };
  const signIn = async (form: FormData) => {
    await fetch('/api/session', { method: 'POST', body: form });
    await refresh();
  };
  const signOut = async () => {
    await fetch('/api/session', { method: 'DELETE' });
    session?.parley.close();
    location.assign('/');
  };
  useEffect(() => void refresh(), []);
  if (session === undefined) return null;
  if (session === null) {
    return (
      <form action={signIn}>
        <input name="name" aria-label="Name" required />
        <button>Sign in</button>
      </form>
    );
  }
  return (
    <ParleyProvider parley={session.parley} thread={{ create: true }}>
      <header>
        {session.userId} <button onClick={() => void signOut()}>Sign out</button>
      </header>
      <Chats />
      <Chat chatId={chatId} files={session.files} />
    </ParleyProvider>
  );
}

function Chats() {
  const { chats } = useChats();
  return (
    <nav>
      <a href="/">New chat</a>
      {chats.map(({ id, title }) => (
        <a key={id} href={`/${encodeURIComponent(id)}`}>
          {' '}
          {title ?? 'Untitled'}
        </a>
      ))}
    </nav>
  );
}
