/** A version of a name: what the catalog keeps and what the manifest shows. */

export interface Column {
  readonly name: string;
  /** The type's name as `/exec` writes it: LONG, TIMESTAMP, DECIMAL(10,2) … */
  readonly type: string;
  /** Only for ARRAY. */
  readonly dim?: number;
  readonly elemType?: string;
}

export interface SchemaRecord {
  /** SHA-256 of `message`, hex: equal schemas are stored once. */
  readonly hash: string;
  /** The IPC schema message (flatbuffer, without framing) exactly as the client sent it. */
  readonly message: Uint8Array;
  readonly columns: readonly Column[];
}

export interface Origin {
  readonly kind: 'upload' | 'append' | 'query' | 'restored';
  /** The format that the client sent: arrow, parquet, csv, ndjson, flight … */
  readonly format: string;
  /** Only for `restored`: the version whose rows these are. */
  readonly from?: number;
  /** Only for a query, or if the version that was restored came from one; not in lists. */
  readonly query?: QueryOrigin;
  /** Only for text, and not in lists: how it was read, as found in the file or as asked for. */
  readonly text?: TextNotation;
}

export interface TextNotation {
  readonly charset: string;
  /** Only for CSV. */
  readonly delimiter?: string;
  readonly decimal?: string;
  readonly thousands?: string;
  readonly dates?: string;
}

/** The statement that made a version. */
export interface QueryOrigin {
  /** Its text, cut if it is very long. */
  readonly text: string;
  /** `name@version` of every frame that it read. */
  readonly sources: readonly string[];
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

export interface PartForm {
  readonly kind: 'arrow' | 'parquet';
  readonly objects: readonly StoredObject[];
  /** Whether this form alone gives back the part exactly. Always true for Arrow; for Parquet only when proven. */
  readonly exact: boolean;
  /** One of its objects is known to be damaged: the form is never read. */
  readonly damaged?: true;
}

export interface PartRecord {
  readonly id: string;
  readonly rows: number;
  readonly forms: readonly PartForm[];
  /** Why it has no Parquet form, if transcoding it was refused. */
  readonly transcodeRefusal?: string;
}

/** Which rows of which kept version a record stands for, if it does not stand for all of its own. */
interface VersionSlice {
  /** The version after which the rows were appended; 0: before all. */
  readonly after: number;
  /** The version that is read. */
  readonly version: number;
  readonly versionId: string;
  readonly firstRow: number;
}

/** A version as lists show it: without its schema, since the schemas of a page may have gigabytes. */
export interface VersionSummary {
  /** What a reader of another tenant calls it: `tenant:name`. Only in what such a reader gets. */
  readonly seenAs?: string;
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  /**
   * Of this version alone. A catalog that was restored, or lost its last changes in a failover, gives numbers of versions again; what is
   * remembered of a version is told from others by this.
   */
  readonly versionId: string;
  /** Only for rows that were appended after another version: they are not all rows of a version. `version` is the one that ends with them. */
  readonly slice?: VersionSlice;
  /** Of the name, not of the version: stable as long as the name is known. */
  readonly frameId: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly rows: number;
  /** Bytes of the parts as they were put: of their Arrow forms, or of the Parquet files that an engine wrote. */
  readonly bytes: number;
  readonly partCount: number;
  readonly origin: Origin;
  /** How often the name came back after a drop; absent if it never did. */
  readonly incarnation?: number;
  /** How many versions of the name are kept; absent if it is as many as the server keeps of all names. */
  readonly versionsKeep?: number;
}

/** A version with its columns, as its manifest shows it. */
export interface DescribedVersion extends VersionSummary {
  readonly schema: Pick<SchemaRecord, 'columns'>;
}

export interface VersionRecord extends DescribedVersion {
  readonly schema: SchemaRecord;
}
