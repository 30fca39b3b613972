import type { Database } from '../../postgres/database.ts';

/** For what takes several transactions, so that others come in between. */
export type Transactions = Pick<Database, 'read' | 'change'>;
