/** What was written after `framehold token`, `tenant`, `backup` or `restore`. */
export interface CommandWords {
  readonly verb: string | undefined;
  readonly words: readonly string[];
  /** Of the flags that only this command has. */
  readonly options: ReadonlyMap<string, string>;
}
