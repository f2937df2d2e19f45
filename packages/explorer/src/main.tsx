/** Starts the explorer. */
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import './style.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the explorer');
createRoot(root).render(<App />);
