import { serverConnections, testAbortedRequests } from './aborted-requests.js';

testAbortedRequests(serverConnections);
