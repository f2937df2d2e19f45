import type { ChatRole } from '@parley/client';
import { AddMember, RemoveMember } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { UserRound } from 'lucide-react';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Button } from '../design/button.js';
import { linkTo } from '../place.js';
import type { Sharing, UseSharing } from './use-sharing.js';

const ROLE_NAMES: Record<ChatRole, string> = {
  READER: 'Reader',
  COMMENTER: 'Commenter',
  WRITER: 'Writer',
  OWNER: 'Owner',
};
/** The roles that owners give. */
const ROLES = ['READER', 'COMMENTER', 'WRITER'] as const satisfies readonly ChatRole[];

interface PeopleProps {
  sharing: Sharing;
  change: UseSharing['change'];
  onClose(): void;
}

/** The users with access to a chat. Owners add and remove members and change roles; members leave. */
export function People({ sharing, change, onClose }: PeopleProps): ReactNode {
  const { id: chatId, viewerId, viewerRole, members } = sharing;
  const parley = useParley();
  const [role, setRole] = useState<ChatRole>('READER');
  const isOwner = viewerRole === 'OWNER';
  const add = (userId: string, given: ChatRole) =>
    change(parley.run(AddMember, { input: { chatId, userId, role: given } }));
  const remove = (userId: string) => change(parley.run(RemoveMember, { input: { chatId, userId } }));
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const userId = new FormData(form).get('userId');
    if (typeof userId === 'string' && (await add(userId.trim(), role)) !== null) form.reset();
  };
  const leave = async () => {
    if ((await remove(viewerId)) === null) return;
    onClose();
    location.hash = linkTo({});
  };
  return (
    <section aria-labelledby="people">
      <h3 id="people">People</h3>
      <ul className="dialog-list">
        {members.edges.map(({ node: { userId, role: present } }) => (
          <li key={userId}>
            <span>
              <UserRound aria-hidden />
              <bdi>{userId}</bdi>
            </span>
            {isOwner && present !== 'OWNER' ? (
              <>
                <RoleChoice
                  label={`Role of ${userId}`}
                  role={present}
                  onChoose={(chosen) => void add(userId, chosen)}
                />
                <Button aria-label={`Remove ${userId}`} onClick={() => void remove(userId)}>
                  Remove
                </Button>
              </>
            ) : (
              <small>{ROLE_NAMES[present]}</small>
            )}
            {!isOwner && userId === viewerId && (
              <Button tone="danger" onClick={() => void leave()}>
                Leave chat
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isOwner && (
        <form className="sharing-form" onSubmit={(event) => void submit(event)}>
          <label>
            Id of the user <input name="userId" dir="auto" required autoComplete="off" />
          </label>
          <RoleChoice label="Role" role={role} onChoose={setRole} />
          <Button type="submit">Add</Button>
        </form>
      )}
    </section>
  );
}

interface RoleChoiceProps {
  label: string;
  role: ChatRole;
  onChoose(role: ChatRole): void;
}

function RoleChoice({ label, role, onChoose }: RoleChoiceProps): ReactNode {
  return (
    <select
      aria-label={label}
      value={role}
      onChange={({ target }) => onChoose(ROLES.find((each) => each === target.value) ?? 'READER')}
    >
      {ROLES.map((each) => (
        <option key={each} value={each}>
          {ROLE_NAMES[each]}
        </option>
      ))}
    </select>
  );
}
