import { type RecordedCases, readRecordedCases } from '../bench/suite/recorded-cases.ts';

const introduction = `# Figures

\`node scripts/write-reference.ts\` writes this page from \`bench/bench-results.json\`, which holds the newest full run of each case.
Earlier runs are in the history of that file. Do not edit this page.

\`npm run bench\` measures all cases in less than 20 minutes, each beside a peer that does the same work in the same run. It
compares them with their targets, updates \`bench/bench-results.json\`, and writes a page with plots to \`bench/out\`.
\`npm run bench -- put exp-csv\` measures some cases, \`--list\` names all of them. \`npm run bench:growth\` shows how costs grow.

**Ratio** is Framehold's figure as a share of the peer's: the median of all rounds. More is better for a rate; less is better for
time, CPU and memory. **Spread** is how far rounds differ. **CPU ratio** is CPU time for the same work; less is better. Absolute
numbers differ from machine to machine and from hour to hour. A dash means that the figure was not written
down at the time. A case without a row has had no full run since results are kept.
`;

const others = `
## Other measurements

These have no case in \`npm run bench\`. Each section names its date and the command that repeats it.

| page | |
|---|---|
| [cases](figures/cases.md) | where the time of the cases above goes |
| [growth](figures/growth.md) | how costs grow with rows, columns, parts and names |
| [compared](figures/compared.md) | \`/exec\` beside QuestDB, Flight beside C++, SQL beside DuckDB |
| [load](figures/load.md) | slow callers, many appends, a million names, mixed work |
| [overload](figures/overload.md) | floods, probes of a busy server, overload, refused requests, access checks |
| [PostgreSQL](figures/postgres.md) | connections, small statements and COPY of PostgreSQL's protocol |
| [many nodes](figures/many-nodes.md) | several nodes compared with one disk |
| [files](figures/files.md) | windows of a frame, a frame as a file, uploads, exports |
| [Spark](figures/spark.md) | statements on Spark |
| [starts and clients](figures/clients.md) | a start, the command line, the Python package |
`;

/** Whole numbers from 1,000 on, else three digits, without zeros that were not measured. */
function shown(figure: number | null): string {
  if (figure === null) return '–';
  return figure.toLocaleString(
    'en-US',
    figure >= 1_000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );
}
const verdicts = { met: 'met', missed: '**missed**', none: '' } as const;

/** docs/figures.md: a test compares the page with the file. */
export function renderFiguresPage(cases: RecordedCases = readRecordedCases()): string {
  const machines = [...new Set(Object.values(cases).map(({ machine }) => machine))];
  const rows = Object.entries(cases).map(([name, each]) => {
    const measured = `${each.at.slice(0, 10)}, \`${each.commit}\`, ${machines.indexOf(each.machine) + 1}`;
    return `| \`${name}\` | ${each.title} | ${shown(each.framehold)} ${each.unit} | ${each.peerName}: ${shown(each.peer)} | ${shown(each.ratio)} | ${shown(each.spread)} | ${shown(each.cpuRatio)} | ${shown(each.p99Ms)} | ${each.target} | ${verdicts[each.verdict]} | ${measured} |`;
  });
  return [
    introduction,
    '| case | | Framehold | peer | ratio | spread | CPU ratio | p99 ms | target | | date, commit, machine |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'Machines:',
    '',
    ...machines.map((machine, index) => `${index + 1}. ${machine}`),
    others,
  ].join('\n');
}
