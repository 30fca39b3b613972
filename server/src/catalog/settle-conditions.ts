/** After the first part of a log, smaller ones are probably merged soon: they are settled later than the others. */
const smallPartBytes = 1024 * 1024;

const unsettled = 'parquet_exact IS NULL AND refusal IS NULL';
/** The conditions of the two indexes of unsettled parts: a database uses an index only if it finds the same words. */
export const settleSoon = `${unsettled} AND (seq = 0 OR size >= ${smallPartBytes})`;
export const settleLater = `${unsettled} AND seq > 0 AND size < ${smallPartBytes}`;
