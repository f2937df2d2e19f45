import { useState, type ReactNode } from 'react';

/** The number of members of an object or array that are shown, and the characters of a text. */
const MAX_MEMBERS = 200;
const MAX_TEXT_LENGTH = 2_000;

/** A JSON value as a tree, whose branches are rendered when they are opened. @param name of the value in its parent */
export function JsonTree({
  value,
  name,
  isOpen = false,
}: {
  value: unknown;
  name?: string;
  isOpen?: boolean;
}): ReactNode {
  const [isShown, setIsShown] = useState(isOpen);
  const key = name !== undefined && <span className="json-key">{JSON.stringify(name)}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-leaf">
        {key}
        <span data-kind={value === null ? 'null' : typeof value}>{leafText(value)}</span>
      </div>
    );
  }
  const members = Object.entries(value as Record<string, unknown>);
  return (
    <details className="json" open={isOpen} onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}>
      <summary>
        {key}
        <small>
          {Array.isArray(value) ? '[ ]' : '{ }'}{' '}
          {members.length === 1 ? '1 item' : `${members.length.toLocaleString('en')} items`}
        </small>
      </summary>
      {isShown &&
        members.slice(0, MAX_MEMBERS).map(([each, member]) => <JsonTree key={each} name={each} value={member} />)}
      {isShown && members.length > MAX_MEMBERS && <div className="json-leaf">…</div>}
    </details>
  );
}

function leafText(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_TEXT_LENGTH)) : String(value);
  return typeof value === 'string' && value.length > MAX_TEXT_LENGTH ? `${text}…` : text;
}
