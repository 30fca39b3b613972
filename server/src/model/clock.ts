/** Milliseconds since 1970, by the clock of the catalog: that of this machine as long as the catalog is on it. */
export type Clock = () => number;
