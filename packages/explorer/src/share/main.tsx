/** Starts the page of a share, which needs no sign-in: /s#token. */
import { createRoot } from 'react-dom/client';
import '../design/tokens.css';
import '../design/base.css';
import '../thread/message.css';
import { restoreTheme } from '../design/theme.js';
import { SharePage } from './share-page.js';
// The explorer, which has the other styles, does not load these.
import styles from './share.css?url';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the share');
restoreTheme();
const render = createRoot(root);
const show = () => {
  const token = location.hash.slice(1);
  render.render(<SharePage key={token} token={token} />);
};
addEventListener('hashchange', show);
const sheet = document.createElement('link');
sheet.rel = 'stylesheet';
sheet.href = styles;
// Without its styles, the page is readable, too.
sheet.onload = sheet.onerror = show;
document.head.append(sheet);
