export interface SnippetContext {
  /** Where the API begins; ends with a slash. */
  readonly base: string;
  /** `name@version` */
  readonly handle: string;
  readonly isOpen: boolean;
  /** Where Flight is, such as `grpc://host:50052`; null if only programs of the same machine reach it. */
  readonly flight: string | null;
}

export interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** What the snippet needs that it does not say itself. */
  readonly note?: string;
}

/** Programs that read this version, for people to copy. Tokens are taken from the environment, never written into a program. */
export function snippetsOf({ base, handle, isOpen, flight }: SnippetContext): Snippet[] {
  // By its version: a reader that fetches a file in pieces must not meet another one halfway.
  const rows = (format: string) =>
    `${base}v1/files/${encodeURIComponent(handle).replace('%40', '@')}.${format}`;
  const file = handle.replaceAll(/[^A-Za-z0-9_.@-]/g, '_');
  const table = `"${handle.replaceAll('"', '""')}"`;
  const curlToken = isOpen ? '' : ' -H "Authorization: Bearer $FRAMEHOLD_TOKEN"';
  const all: (Snippet & { readonly usesFlight?: true })[] = [
    {
      id: 'curl',
      label: 'curl',
      text: [
        `curl -sS${curlToken} '${rows('csv')}'`,
        `curl -sS${curlToken} -o '${file}.parquet' '${rows('parquet')}'`,
      ].join('\n'),
    },
    {
      id: 'pyarrow',
      label: 'Python',
      note: 'Uses Arrow Flight.',
      usesFlight: true,
      text: [
        ...(isOpen ? [] : ['import os']),
        'import pyarrow.flight as flight',
        '',
        `client = flight.connect("${flight}")`,
        ...(isOpen
          ? [`table = client.do_get(flight.Ticket(b"${handle}")).read_all()`]
          : [
              'options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {os.environ[\'FRAMEHOLD_TOKEN\']}".encode())])',
              `table = client.do_get(flight.Ticket(b"${handle}"), options).read_all()`,
            ]),
        'print(table.num_rows, table.schema)',
      ].join('\n'),
    },
    {
      id: 'pandas',
      label: 'pandas',
      text: [
        ...(isOpen ? [] : ['import os']),
        'import pandas as pd',
        '',
        isOpen
          ? `frame = pd.read_parquet("${rows('parquet')}")`
          : [
              'frame = pd.read_parquet(',
              `    "${rows('parquet')}",`,
              '    storage_options={"Authorization": f"Bearer {os.environ[\'FRAMEHOLD_TOKEN\']}"},',
              ')',
            ].join('\n'),
        'print(frame.head())',
      ].join('\n'),
    },
    {
      id: 'polars',
      label: 'polars',
      ...(isOpen
        ? {}
        : { note: 'With a link (Share) in place of the token, pl.scan_parquet reads only what is needed.' }),
      text: isOpen
        ? [
            'import polars as pl',
            '',
            `frame = pl.scan_parquet("${rows('parquet')}")`,
            'print(frame.head().collect())',
          ].join('\n')
        : [
            'import io',
            'import os',
            'import urllib.request',
            'import polars as pl',
            '',
            ...pythonRequest(rows('parquet'), isOpen),
            'frame = pl.read_parquet(io.BytesIO(urllib.request.urlopen(request).read()))',
            'print(frame.head())',
          ].join('\n'),
    },
    {
      id: 'duckdb',
      label: 'DuckDB',
      text: [
        ...(isOpen ? [] : ['import os']),
        'import shutil',
        'import urllib.request',
        'import duckdb',
        '',
        ...pythonRequest(rows('parquet'), isOpen),
        `with urllib.request.urlopen(request) as rows, open("${file}.parquet", "wb") as file:`,
        '    shutil.copyfileobj(rows, file)',
        `print(duckdb.sql("select * from '${file}.parquet' limit 10"))`,
      ].join('\n'),
    },
    {
      id: 'jdbc',
      label: 'JDBC',
      usesFlight: true,
      note: `Uses Arrow Flight. Needs org.apache.arrow:flight-sql-jdbc-driver, and Java started with --add-opens=java.base/java.nio=ALL-UNNAMED.`,
      text: [
        'import java.sql.*;',
        '',
        'public class Example {',
        '  public static void main(String[] arguments) throws SQLException {',
        `    String url = "jdbc:arrow-flight-sql://${flight?.replace(/^[a-z+]+:\/\//, '')}/?useEncryption=${flight?.startsWith('grpc+tls')}";`,
        isOpen
          ? '    try (Connection connection = DriverManager.getConnection(url);'
          : '    try (Connection connection = DriverManager.getConnection(url, "token", System.getenv("FRAMEHOLD_TOKEN"));',
        '        Statement statement = connection.createStatement();',
        `        ResultSet rows = statement.executeQuery("${`select * from ${table}`.replaceAll('"', '\\"')}")) {`,
        '      while (rows.next()) System.out.println(rows.getString(1));',
        '    }',
        '  }',
        '}',
      ].join('\n'),
    },
    {
      id: 'r',
      label: 'R',
      note: 'Needs the package arrow.',
      text: [
        `file <- "${file}.parquet"`,
        isOpen
          ? `download.file("${rows('parquet')}", file, mode = "wb")`
          : [
              `download.file("${rows('parquet')}", file, mode = "wb",`,
              '  headers = c(Authorization = paste("Bearer", Sys.getenv("FRAMEHOLD_TOKEN"))))',
            ].join('\n'),
        'frame <- arrow::read_parquet(file)',
        'head(frame)',
      ].join('\n'),
    },
    {
      id: 'sql',
      label: 'SQL over HTTP',
      text: `curl -sS${curlToken} -H 'Content-Type: application/sql' '${base}v1/sql?fmt=csv' \\\n  -d 'select * from ${table} limit 10'`,
    },
  ];
  return all.filter(({ usesFlight }) => flight !== null || usesFlight !== true);
}

function pythonRequest(url: string, isOpen: boolean): string[] {
  return isOpen
    ? [`request = urllib.request.Request("${url}")`]
    : [
        'request = urllib.request.Request(',
        `    "${url}",`,
        '    headers={"Authorization": f"Bearer {os.environ[\'FRAMEHOLD_TOKEN\']}"},',
        ')',
      ];
}
