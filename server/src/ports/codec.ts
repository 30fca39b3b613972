import type { FrameholdError } from '../model/errors.ts';
import type { SchemaRecord, StoredObject, TextNotation } from '../model/version.ts';

/** Everything that looks inside uploaded bytes. It all runs in workers that can be ended. */
export interface Codec {
  /** Begins to check an Arrow IPC stream that is being written to `path`. `onSchema` is called at most once, as soon as the schema has come. */
  check(path: string, onSchema?: ((schema: SchemaRecord) => void) | null): CheckRun;
  /** Turns an upload of another format, whole on disk at `source`, into an Arrow IPC stream at `target`. bad_body says what is wrong. */
  decode(request: DecodeRequest, signal: AbortSignal): Promise<DecodeReport>;
  /** What `decode` would find in a text, without a stream of it. A fault of the text is in the answer. */
  inspect(request: InspectRequest, signal: AbortSignal): Promise<InspectReport>;
  /** Reads every row of Parquet files that another program wrote, and checks them as it checks an upload. bad_body says what is wrong with the first faulty one. */
  examine(files: readonly string[], signal: AbortSignal): Promise<readonly ExaminedFile[]>;
  /** The hash of a file, hex. */
  hash(path: string, algorithm: 'sha256' | 'sha512', signal: AbortSignal): Promise<string>;
  /** What to store for an append: the schema of the new version. schema_conflict with the difference if no rows with these columns fit. */
  reconcile(base: SchemaRecord, added: SchemaRecord): Promise<Reconciled>;
  /** Copies an Arrow stream that was checked with the columns and types of a frame. schema_conflict names the first value that does not fit. */
  convert(request: ConvertRequest, signal: AbortSignal): Promise<ConvertReport>;
  /** Rewrites an Arrow stream file with the dictionary ids of another schema. */
  renumber(source: string, target: string, schema: SchemaRecord, signal: AbortSignal): Promise<void>;
  /** Writes parts that follow each other as one Arrow stream: the same rows in the same order, in larger batches. */
  compact(request: CompactRequest, signal: AbortSignal): Promise<CompactReport>;
  /** Writes Parquet for an Arrow part, without the columns that Parquet cannot hold, reads it back and compares. Leaves no file if it fails. */
  transcode(request: TranscodeRequest, signal: AbortSignal): Promise<TranscodeReport>;
  /** Copies an Arrow stream with its buffers compressed, and compares. Null, and no file, if that does not pay. */
  pack(request: PackRequest, signal: AbortSignal): Promise<Written | null>;
  close(): Promise<void>;
}

export interface CheckRun {
  /** Resolves with the error as soon as a fault is found; never rejects, and stays pending if there is none. */
  readonly failed: Promise<FrameholdError>;
  /** More bytes are in the file: the check may follow up to here. Cheap, never blocks. */
  advance(bytesWritten: number): void;
  /** The file is whole. bad_body says what is wrong and where. */
  finish(bytesWritten: number): Promise<CheckReport>;
  /** Gives up; safe at any time, also after finish. */
  cancel(): void;
}

export interface CheckReport {
  readonly schema: SchemaRecord;
  readonly rows: number;
  readonly batches: number;
  /** Size of the whole file. */
  readonly bytes: number;
  /** Hex, over the whole file. */
  readonly sha256: string;
}

export type UploadFormat = 'arrow-file' | 'parquet' | 'csv' | 'ndjson' | 'json';

export interface DecodeRequest {
  readonly format: UploadFormat;
  readonly source: string;
  readonly target: string;
  /** quota_exceeded as soon as the stream is larger: a small body may decode to any number of bytes. Without it there is no limit. */
  readonly targetBytesMax?: number;
  readonly csv: CsvOptions;
  /** Text: the file is cut off, and what follows its last complete line is left out. */
  readonly partial?: boolean;
  /** Text: the frame to which the rows are appended. Columns that `csv.types` does not name are read with its types. */
  readonly frame?: SchemaRecord;
  /** parquet: columns of nanoseconds in UTC lose the name of their zone. For readers whose times with a zone have microseconds. */
  readonly plainNanoseconds?: boolean;
}

/** How a text file is written. Parameters of an upload, not yet checked. */
export interface CsvOptions {
  /** Default: detected in the file. */
  readonly delimiter?: string;
  readonly nullText?: string;
  /** The decimal mark. Default: a point. */
  readonly decimal?: string;
  /** The mark between groups of three digits. Default: none. */
  readonly thousands?: string;
  /** dmy, mdy or ymd: how dates are written, besides ISO 8601. */
  readonly dates?: string;
  /** Default: UTF-8. A byte order mark takes precedence. Also used for JSON. */
  readonly charset?: string;
  /** Column name → SQL type name, forced. Also used for ndjson. */
  readonly types?: Readonly<Record<string, string>>;
}

export interface DecodeReport {
  /** Only of text: how it was read. */
  readonly text?: TextNotation;
}

export type TextFormat = 'csv' | 'ndjson' | 'json';

export interface InspectRequest {
  readonly format: TextFormat;
  readonly source: string;
  readonly csv: CsvOptions;
  /** The file is cut off: what follows its last complete line is left out. */
  readonly partial: boolean;
  /** Of the frame that the rows would be appended to. */
  readonly frame?: SchemaRecord;
}

export interface InspectReport {
  readonly format: TextFormat;
  readonly partial: boolean;
  readonly text: TextNotation;
  readonly columns: readonly {
    readonly name: string;
    /** As `types` takes it. */
    readonly type: string;
    /** The text that decided. */
    readonly why: string;
  }[];
  /** The first rows as they are written: cells of CSV, objects of JSON. Long texts are cut. */
  readonly rows: readonly (readonly (string | null)[] | string)[];
  /** Rows before the problem, or all. */
  readonly rowCount: number;
  /** The first problem that would be refused. */
  readonly problem: { readonly detail: string; readonly hint?: string } | null;
}

/** What readers will find in a Parquet file. */
export interface ExaminedFile {
  readonly schema: SchemaRecord;
  readonly rows: number;
}

export interface ConvertRequest {
  readonly source: string;
  readonly target: string;
  /** Of the frame. */
  readonly schema: SchemaRecord;
  /** The frame's parts as Arrow streams, if the values of its dictionaries matter. */
  readonly partFiles: readonly string[];
  /** As for decoding. */
  readonly targetBytesMax?: number;
}

export interface ConvertReport {
  /** False, and no target, if the stream already has the frame's types. */
  readonly written: boolean;
}

export interface Reconciled {
  readonly schema: SchemaRecord;
  /** The columns are not the same, or must be compared further: the added stream goes through `convert`. */
  readonly convert: boolean;
  /** `convert` must know the frame's parts. */
  readonly readsParts: boolean;
  /** The added stream's dictionary ids differ from the base's: it must be renumbered before it is published. */
  readonly renumber: boolean;
}

export interface CompactRequest {
  readonly sources: readonly CompactionSource[];
  /** Of the stream that is written; each source has the same or narrower types. */
  readonly schema: SchemaRecord;
  readonly target: string;
  /** A target that becomes larger is refused: compressed parts may unpack to any size. */
  readonly targetBytesMax: number;
  /** A statement waits for it: it comes before background work. */
  readonly interactive?: boolean;
}

/** The form of a part to read, and the hashes of its files, checked again while they are read. */
export interface CompactionSource {
  readonly kind: 'arrow' | 'parquet';
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

export interface CompactReport {
  /** The source that cannot be compacted, and why. null: the target has been written. */
  readonly refusal: { readonly source: number; readonly reason: string } | null;
}

export interface TranscodeRequest {
  readonly source: string;
  /** The source's hash, checked again while it is read. */
  readonly sha256: string;
  /** Where the n-th Parquet file is to be written. A directory that exists. */
  readonly targetDirectory: string;
  readonly targetPrefix: string;
  /** A statement waits for it: it comes before background work. */
  readonly interactive?: boolean;
}

export interface TranscodeReport {
  /** Files written, in row order; key is left empty for the caller to fill. */
  readonly files: readonly (Omit<StoredObject, 'key'> & { readonly path: string })[];
  /** The files alone give back schema and values exactly, by comparison and by the proven list. */
  readonly exact: boolean;
  /** Why there are no files, if there are none: no column that Parquet can hold. */
  readonly refusal: string | null;
}

export interface Written {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

export interface PackRequest {
  readonly source: string;
  /** The source's hash, checked again while it is read. */
  readonly sha256: string;
  readonly target: string;
  /** Of zstd, 1 to 22. */
  readonly level: number;
  /** A larger copy is not worth it. */
  readonly bytesMax: number;
}
