import { useState } from 'preact/hooks';
import { base } from '../../server/base.ts';
import { token } from '../../server/session.ts';
import { href } from '../../shell/router.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Tabs } from '../../ui/tabs.tsx';

/** A new server: three ways to put a first frame, each with the right address. */
export function FirstFrame() {
  const [way, setWay] = useState('curl');
  return (
    <div class="first">
      <div class="first-intro">
        <h1>Put a first frame</h1>
        <p class="muted">
          A frame is a table under a name. It keeps its versions, and everything reads it: this console, SQL,
          curl, pandas, polars, DuckDB, JDBC.
        </p>
      </div>
      <section class="first-drop card">
        <Icon name="upload" size={28} />
        <h2>Drop a file anywhere on this page</h2>
        <p class="muted">CSV, JSON, NDJSON, Parquet or Arrow. Or paste rows from a spreadsheet.</p>
        <ButtonLink kind="primary" href={href('upload')}>
          Choose a file
        </ButtonLink>
      </section>
      <section>
        <Tabs
          label="Other ways"
          tabs={[
            { id: 'curl', label: 'curl' },
            { id: 'python', label: 'Python' },
            { id: 'sql', label: 'SQL' },
          ]}
          selected={way}
          onSelect={setWay}
          panelId="first-way"
        />
        <div id="first-way" role="tabpanel" aria-label={way} class="snippet first-snippet">
          <pre tabIndex={0}>{snippets[way]?.()}</pre>
          <CopyButton text={() => snippets[way]?.() ?? ''} />
        </div>
      </section>
    </div>
  );
}

const snippets: Readonly<Record<string, () => string>> = {
  curl: () => `curl -T trades.csv -H 'Content-Type: text/csv' \\
${tokenHeader('  ')}  ${base.href}v1/frames/trades`,
  python: () => `import io, urllib.request
import pyarrow as pa
import pyarrow.csv

table = pyarrow.csv.read_csv("trades.csv")
body = io.BytesIO()
with pa.ipc.new_stream(body, table.schema) as stream:
    stream.write_table(table)
urllib.request.urlopen(urllib.request.Request(
    "${base.href}v1/frames/trades", body.getvalue(), method="PUT",
    headers={"Content-Type": "application/vnd.apache.arrow.stream"${token.value === null ? '' : ', "Authorization": "Bearer TOKEN"'}}))`,
  sql: () => `curl -H 'Content-Type: application/sql' \\
${tokenHeader('  ')}  ${base.href}v1/sql \\
  -d 'create table numbers as select i, i * i as square from range(1000) t(i)'`,
};

function tokenHeader(indent: string): string {
  return token.value === null ? '' : `${indent}-H 'Authorization: Bearer TOKEN' \\\n`;
}
