/** Starts the explorer. */
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import './design/base.css';
import { App } from './app.js';
import { restoreTheme } from './design/theme.js';
import './style.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the explorer');
restoreTheme();
createRoot(root).render(<App />);
