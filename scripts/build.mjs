/** `npm run build`: generates the database clients, then builds dist. */
import './generate.mjs';
import './build-modules.mjs';
