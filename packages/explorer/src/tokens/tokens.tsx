import { useChats, useParley } from '@parley/client/react';
import { KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { chatTitle } from '../chats/chat-title.js';
import { Button } from '../design/button.js';
import { EmptyState } from '../design/placeholder.js';
import { Secret } from '../design/secret.js';
import { ReadTokens, RevokeToken, type ReadTokensQuery } from '../generated/operations.js';
import { linkTo } from '../place.js';
import { changing, useRead } from '../requests/use-read.js';
import { NewToken, SCOPES } from './new-token.js';
import '../design/popups.css';
import './tokens.css';

type TokenPage = ReadTokensQuery['viewer']['accessTokens'];

/** The access tokens of the user: creates and revokes them. */
export default function Tokens(): ReactNode {
  const parley = useParley();
  const [page, setPage] = useState<TokenPage | null>(null);
  const [secret, setSecret] = useState('');
  const [changes, setChanges] = useState(0);
  const [failed, setFailed] = useRead(
    (signal) => parley.run(ReadTokens, {}, signal).then(({ viewer }) => setPage(viewer.accessTokens)),
    [parley, changes],
  );
  const change = changing(setFailed, () => setChanges((count) => count + 1));
  const more = async () => {
    const { viewer } = await parley.run(ReadTokens, { after: page?.pageInfo.endCursor ?? null });
    setPage((known) => ({ ...viewer.accessTokens, edges: [...(known?.edges ?? []), ...viewer.accessTokens.edges] }));
  };
  return (
    <article className="tokens">
      <p>
        Scripts, agents and other programs send an access token in place of your sign-in. It acts for you, with at most
        the rights that you give it here, and never as an admin.
      </p>
      <NewToken change={change} onCreated={setSecret} />
      {failed !== '' && <p role="alert">{failed}</p>}
      {secret !== '' && (
        <Secret
          label="New token"
          value={secret}
          copyLabel="Copy token"
          hint="Copy the token now: it is shown only once."
        />
      )}
      {page?.edges.length === 0 && <EmptyState icon={KeyRound} text="You have no access tokens." />}
      {page !== null && page.edges.length > 0 && (
        <section>
          <h3 id="tokens">Your tokens</h3>
          <ul className="dialog-list token-list" aria-labelledby="tokens">
            {page.edges.map(({ node }) => (
              <Token
                key={node.id}
                token={node}
                onRevoke={() => void change(parley.run(RevokeToken, { input: { id: node.id } }))}
              />
            ))}
          </ul>
        </section>
      )}
      {page?.pageInfo.hasNextPage && <Button onClick={() => void more()}>Show more</Button>}
    </article>
  );
}

interface TokenProps {
  token: TokenPage['edges'][number]['node'];
  onRevoke(): void;
}

function Token({ token, onRevoke }: TokenProps): ReactNode {
  const { name, scopes, chatId, createdAt, expiresAt, lastUsedAt } = token;
  const { chats } = useChats();
  const [isAsking, setIsAsking] = useState(false);
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  const chat = chats.find(({ id }) => id === chatId);
  // Each scope includes those before it.
  const rights = SCOPES.findLast(([scope]) => scopes.includes(scope))?.[1];
  return (
    <li>
      <span>
        <KeyRound aria-hidden />
        <span>
          <b dir="auto">{name}</b> <span className="chip">{rights}</span>
          {chatId !== null && (
            <a href={linkTo({ chatId })} dir="auto">
              only {chat === undefined ? 'one chat' : chatTitle(chat, undefined)}
            </a>
          )}
          <small>
            Created {day(createdAt)} · {lastUsedAt === null ? 'never used' : `last used ${day(lastUsedAt)}`} ·{' '}
            {expiresAt === null ? 'never expires' : `${isExpired ? 'expired' : 'expires'} ${day(expiresAt)}`}
          </small>
        </span>
      </span>
      {isAsking ? (
        <span className="row" role="group" aria-label={`Revoke ${name}?`}>
          <Button tone="danger" autoFocus onClick={onRevoke}>
            Revoke now
          </Button>
          <Button onClick={() => setIsAsking(false)}>Keep</Button>
        </span>
      ) : (
        <Button aria-label={`Revoke ${name}`} onClick={() => setIsAsking(true)}>
          Revoke
        </Button>
      )}
    </li>
  );
}

const day = (time: string) => new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
