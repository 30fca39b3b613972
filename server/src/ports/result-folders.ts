import type { Written } from './codec.ts';

/** Where an engine on other machines writes results before they become objects. No caller ever reads anything in it. */
export interface ResultFolders {
  /** The address of a new folder that nothing else uses. The engine makes the folder when it writes. */
  create(tenant: string): Promise<ResultFolder>;
  /** Removes folders that were made before this time, in milliseconds since 1970, and that no statement of this process uses; returns how many. */
  removeStale(before: number): Promise<number>;
}

/** The folder of one result. The engine can change it at any time: what `copy` has written is what counts. */
export interface ResultFolder {
  /** Where the engine, on any machine, writes. */
  readonly address: string;
  /**
   * The Parquet files of a complete result, in the order of their names. engine_failed if the engine did not complete it, or left
   * something else in the folder; body_too_large if there are too many files.
   */
  files(): Promise<readonly ResultFile[]>;
  /** Writes the bytes of a file into a new file at this path, which is on the disk when it resolves. engine_failed if the file is not the one that was listed. */
  copy(file: ResultFile, path: string, signal: AbortSignal): Promise<Written>;
  /** Removes the folder with all that is in it. Nothing happens if it does not exist. */
  remove(): Promise<void>;
}

export interface ResultFile {
  readonly name: string;
  readonly bytes: number;
  /** What the file was when it was listed; only its folder understands it. */
  readonly tag: string;
}
