/** After the first part of a log, smaller ones are probably compacted soon: they are transcoded later than the others. */
const smallPartBytes = 1024 * 1024;

const untranscoded = 'parquet_exact IS NULL AND refusal IS NULL';
/** The conditions of the two indexes of untranscoded parts: a database uses an index only if it finds the same words. */
export const transcodeSoon = `${untranscoded} AND (seq = 0 OR size >= ${smallPartBytes})`;
export const transcodeLater = `${untranscoded} AND seq > 0 AND size < ${smallPartBytes}`;
