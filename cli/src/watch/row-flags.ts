/** Flags of `framehold watch` that are for rows, and those that are for changes. */
export const rowFlags = ['since', 'columns', 'timeout'] as const;
export const eventFlags = ['statements', 'settled', 'after'] as const;
