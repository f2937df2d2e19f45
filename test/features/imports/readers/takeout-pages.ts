/** Pages of Google Takeout. */

export const WHEN = 'Nov 5, 2025, 10:21:33\u202fAM CET';

const CELL = 'content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1';

export const activity = (content: string, header = 'Gemini Apps', shown = '', about = '') =>
  `<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">` +
  `<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">${header}<br></p></div>` +
  `<div class="${CELL}">${content}</div><div class="${CELL} mdl-typography--text-right">${shown}</div>` +
  `<div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;${header}<br>${about}` +
  `<b>Why is this here?</b><br>&emsp;This activity was saved to your Google Account.</div></div></div>`;

export const HEAD =
  '<html><head><title>My Activity History</title><style>.a > .b {}</style></head><body><div class="mdl-grid">';

export const page = (...activities: string[]) => `${HEAD}${activities.join('')}</div></body></html>`;
