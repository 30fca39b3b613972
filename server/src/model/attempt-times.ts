const hourMs = 60 * 60 * 1000;

/** A change whose attempt is older is refused by the catalog. Long enough for the slowest upload. */
export const attemptUsableMs = 24 * hourMs;
/** Objects of older attempts that the catalog does not know belong to nothing, and never will. */
export const orphanAgeMs = 2 * attemptUsableMs;
