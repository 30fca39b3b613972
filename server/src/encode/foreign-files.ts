/** A file that cannot be a frame as it is: what it is, and what to do with it. */
export interface ForeignFile {
  /** As in "The body is …". */
  readonly what: string;
  readonly advice: string;
  /** A content coding that uploads may have: the file inside of it may be a frame. */
  readonly coding?: 'gzip' | 'zstd';
}

/** Enough to recognise every one of them. */
export const recognisedBytes = 64;

const save =
  'Save it as CSV in the program that made it, or convert it to Parquet: pandas.read_excel(…).to_parquet(…).';
const convert = (reader: string) => `Convert it to Parquet or CSV first: ${reader}(…).to_parquet(…).`;
const unpack = 'Unpack it, and send each file as a frame.';
const pack = 'Unpack it first. Of compressed files, gzip and zstd are accepted.';

const workbook: ForeignFile = { what: 'an Excel workbook (.xlsx)', advice: save };
const spreadsheet: ForeignFile = { what: 'an OpenDocument spreadsheet (.ods)', advice: save };
const workbookNames = ['[Content_Types].xml', '_rels/', 'xl/', 'docProps/', 'customXml/'];
const archive: ForeignFile = { what: 'a ZIP archive', advice: unpack };

/** By the bytes that such a file begins with. None of them can begin a text, except where `isBinary` is asked beside. */
const marks: readonly (readonly [mark: string, file: ForeignFile])[] = [
  ['\x1f\x8b', { what: 'compressed with gzip', advice: 'Unpack it first.', coding: 'gzip' }],
  ['\x28\xb5\x2f\xfd', { what: 'compressed with zstd', advice: 'Unpack it first.', coding: 'zstd' }],
  ['\xfd7zXZ\0', { what: 'compressed with xz', advice: pack }],
  ['\x04\x22\x4d\x18', { what: 'compressed with lz4', advice: pack }],
  ['7z\xbc\xaf\x27\x1c', { what: 'a 7z archive', advice: unpack }],
  ['Rar!\x1a\x07', { what: 'a RAR archive', advice: unpack }],
  ['PK\x05\x06', { what: 'an empty ZIP archive', advice: unpack }],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', { what: 'an old Excel workbook (.xls)', advice: save }],
  [
    'SQLite format 3\0',
    {
      what: 'an SQLite database',
      advice: "Export a table: sqlite3 -header -csv FILE 'SELECT * FROM a_table' > a_table.csv.",
    },
  ],
  [
    'Obj\x01',
    {
      what: 'an Avro file',
      advice: 'Convert it to Parquet or CSV first: polars.read_avro(…).write_parquet(…).',
    },
  ],
  ['\x89HDF\r\n\x1a\n', { what: 'an HDF5 file', advice: convert('pandas.read_hdf') }],
  [
    '\x93NUMPY',
    {
      what: 'a NumPy file (.npy)',
      advice: 'Convert it to Parquet or CSV first: pandas.DataFrame(numpy.load(…)).to_parquet(…).',
    },
  ],
  [
    '\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf',
    { what: 'a SAS file (.sas7bdat)', advice: convert('pandas.read_sas') },
  ],
];

/** Letters that a text could begin with, too: they count only if bytes follow that no text has. */
const wordMarks: readonly (readonly [mark: string, file: ForeignFile])[] = [
  ['BZh', { what: 'compressed with bzip2', advice: pack }],
  ['ORC', { what: 'an ORC file', advice: convert('pandas.read_orc') }],
  ['FEA1', { what: 'a Feather file of version 1', advice: convert('pandas.read_feather') }],
  ['$FL2', { what: 'an SPSS file (.sav)', advice: convert('pandas.read_spss') }],
];

/** Null if it may be a frame, or a text. `first`: the first bytes, at most `recognisedBytes` of them are looked at. */
export function foreignFile(first: Uint8Array): ForeignFile | null {
  // One character a byte.
  const text = String.fromCharCode(...first.subarray(0, recognisedBytes));
  if (text.startsWith('PK\x03\x04')) return zipped(text);
  const known = marks.find(([mark]) => text.startsWith(mark));
  if (known !== undefined) return known[1];
  if (text.startsWith('DUCK', 8))
    return { what: 'a DuckDB database', advice: "Export a table: COPY a_table TO 'a_table.parquet'." };
  const word = isBinary(text) ? wordMarks.find(([mark]) => text.startsWith(mark)) : undefined;
  return word?.[1] ?? null;
}

/** By the name of the first file inside, which is at byte 30. */
function zipped(text: string): ForeignFile {
  const name = text.slice(30);
  if (workbookNames.some((beginning) => name.startsWith(beginning))) return workbook;
  return name.startsWith('mimetypeapplication/vnd.oasis') ? spreadsheet : archive;
}

/** Control characters that no text has, in any charset. */
function isBinary(text: string): boolean {
  return [...text].some(
    (character) => character < '\t' || (character > '\r' && character < ' ' && character !== '\x1b'),
  );
}
