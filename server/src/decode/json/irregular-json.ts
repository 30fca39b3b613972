/** A text that is not read in blocks: it is read row by row instead, which accepts all of JSON and says what is wrong with the rest. */
export class IrregularJson extends Error {}
