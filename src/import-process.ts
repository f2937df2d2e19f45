/** The program of the processes that import uploaded files. */
import { fileService, openFeatures } from './features/all-features.js';
import { answerOrder } from './features/imports/requests/import-process.js';

answerOrder(openFeatures, fileService);
