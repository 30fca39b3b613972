/** Milliseconds since 1970, by the clock that the catalog goes by: that of this machine as long as the catalog is on it. */
export type Clock = () => number;
