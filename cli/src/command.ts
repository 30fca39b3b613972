import type { Framehold } from '../../client/src/index.ts';
import type { Options } from './options.ts';
import type { ProgressStream } from './output/progress.ts';
import type { StandardOutput } from './output/standard-output.ts';

export interface Flag {
  readonly name: string;
  /** What is written for its value in the help; without one it is a switch. */
  readonly value?: string;
  readonly doc: string;
  /** One letter. */
  readonly short?: string;
  /** The values that are allowed, if there are only a few. */
  readonly values?: readonly string[];
  /** May be given several times. */
  readonly many?: boolean;
}

/** What is completed where a word is expected. */
type WordKind = 'file' | 'frame' | 'shell' | 'other';

export interface Command {
  readonly name: string;
  /** As the help has them: `FILE|- [NAME]`. */
  readonly words: string;
  readonly wordsMin: number;
  readonly wordsMax: number;
  readonly wordKinds: readonly WordKind[];
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** false: it talks to no server. */
  readonly isOffline?: boolean;
  /** What a pipe or a file gets. */
  readonly piped: string;
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly run: (call: Call) => Promise<number> }>;
}

/** One thing that `framehold doctor` looked at. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  readonly remedy?: string;
}

/** What the program around the commands gives them. */
export interface Host {
  readonly version: string;
  /** Commands of the server, for completion. */
  readonly serverCommands: readonly string[];
  /** The checks of `framehold doctor` that need the server's settings. */
  readonly checkServer: (flags: ReadonlyMap<string, string>) => Promise<readonly Finding[]>;
}

/** A command that is run: its words and flags, and the world around it. */
export interface Call {
  /** All commands, for completion. */
  readonly commands: readonly Command[];
  readonly words: readonly string[];
  readonly options: Options;
  readonly output: StandardOutput;
  /** Standard error. */
  readonly errors: ProgressStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly host: Host;
  /** Aborted with Ctrl-C. */
  readonly signal: AbortSignal;
  /** The server that flags, environment and profile name. */
  readonly connect: () => Promise<Framehold>;
}
