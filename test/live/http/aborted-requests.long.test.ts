import { testAbortedRequests } from './aborted-requests.js';

testAbortedRequests(async () => 0);
