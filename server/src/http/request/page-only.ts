import type { IncomingMessage } from 'node:http';

/** Requests of pages of other sites that may be answered by the console's page, and by nothing else. */
export const pageOnly = new WeakSet<IncomingMessage>();
