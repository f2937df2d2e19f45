import { Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.js';
import { copyText } from './copy.js';
import './secret.css';

interface SecretProps {
  /** Such as `New link`. */
  label: string;
  value: string;
  copyLabel: string;
  hint: string;
}

/** A text that the server returns only once, with a button that copies it. */
export function Secret({ label, value, copyLabel, hint }: SecretProps): ReactNode {
  return (
    <div className="secret">
      <label>
        {label} <input readOnly value={value} onFocus={({ target }) => target.select()} />
      </label>
      <IconButton label={copyLabel} icon={Copy} onClick={() => void copyText(value)} />
      <p role="status">{hint}</p>
    </div>
  );
}
