import type { Command, Flag } from '../cli/src/command.ts';
import { flagText } from '../cli/src/command-help.ts';
import { commands } from '../cli/src/commands.ts';
import { connectionFlags } from '../cli/src/connection/connection-flags.ts';

/** docs/reference/command-line.md: its tables come from the commands themselves. */
export function renderCommandLinePage(): string {
  return `${introduction}
| flag | meaning |
|---|---|
${connectionFlags.map(flagRow).join('\n')}

${middle}
## Commands

${commands.map(section).join('\n')}
${end}`;
}

const introduction = `# Command line

<!-- Written by scripts/write-reference.ts from the tables in cli/src. -->

\`framehold\` is one command for both sides: these are its commands for frames on a server. Those of the server itself are in
[running](../guides/running.md), [storage](storage.md) and [access](access.md); \`framehold help\` lists all, and \`framehold COMMAND --help\` explains one.
[Common mistakes](../guides/mistakes/command-line.md) has messages and what to do.

## Which server

The address is that of \`--url\`, else of the variable \`FRAMEHOLD_URL\`, else of the profile, else \`http://127.0.0.1:9000\`. Every command but \`logout\` and
\`completion\` has these flags, behind the command or before it:
`;

const middle = `A flag without a value in these tables is a switch; \`true\` or \`false\` may follow it (\`--link true\`, \`--link=false\`). A frame or file with one of
these names is written before the switch, or behind \`--\`.

\`framehold login\` saves an address with its token as a profile, in \`$XDG_CONFIG_HOME/framehold/profiles.json\` (else
\`~/.config/framehold/profiles.json\`). The file has mode 0600; one that other users can access is refused. The last profile that was saved is the current one.
The token of a profile is sent to the address of that profile only, whatever \`--url\` says. A token is never an argument, because every user of a machine can read
the arguments of its programs. Redirects are not followed.

## Output

| standard output is | rows | everything else |
|---|---|---|
| a terminal | a table (\`head\`, \`sql\`, \`watch --rows\`); \`get\` refuses binary formats | a table or a line of text |
| a pipe or a file | \`get\`: an Arrow stream; \`head\`, \`sql\` and \`watch --rows\`: NDJSON, a JSON object a row | JSON: one object, or one object a line for lists |

\`--format\` chooses another form, and the suffix of a file does so for \`get\`: \`.parquet\`, \`.csv\`, \`.ndjson\`, \`.jsonl\`, \`.json\`, and \`.arrow\` or \`.arrows\` for an Arrow
stream. Rows are copied as the server writes them: every digit of integers and decimals stays. Tables show the exact text of each cell and ∅ for null; cells that are too
wide for the terminal are cut. On a terminal, control characters in names and values are shown as escapes (\`\\x1b\`), so that data cannot control the terminal.
There are no colours, so \`NO_COLOR\` changes nothing.

Progress, with rate and time left, is on standard error, and only if that is a terminal. Errors are two lines on standard error: what is wrong, and what to do.

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | failed: an error of the server; \`doctor\` found a problem; with \`--exit-code\`, \`diff\` found a difference |
| 2 | the command line is wrong |
| 3 | there is no such frame, version or link, or no longer |
| 4 | the token is missing, not valid, or lacks a scope |
| 5 | no answer: the server is down, cannot be reached, is too busy, or broke off |
| 6 | the server refused the data or the statement |
| 7 | conflict: the frame exists, has other columns, or has changed meanwhile |
| 8 | a file, a directory or the terminal of this machine is in the way |
| 129 | ended by SIGHUP |
| 130 | ended by Ctrl-C; the request was cancelled |
| 141 | the reader of the output has gone, as with \`\\| head\` |
| 143 | ended by SIGTERM |
`;

const end = `## Rows as they are added

\`framehold watch --rows NAME\` writes every row that is added to a frame once and in order, and waits for more. If the server restarts or the connection is lost, it says so on
standard error and goes on. It ends with Ctrl-C, after \`--count\` rows, after \`--timeout\` seconds without a new one, or with an error, and then says up to where all rows are
written: \`--since\` goes on there. A position is a version (\`20\`), or a place between two versions (\`12..20+500\`). Without \`--since\` only rows that are added from now on are
written. A frame that does not exist yet is awaited; after \`--timeout\` that is exit code 3.

If rows were replaced or an earlier version was restored, it ends with exit code 7, and does not go on with other rows behind those that are written; the second line says from
where to begin. If the server no longer knows where the version of \`--since\` ended, or the frame is dropped, it is exit code 3. Frames of other tenants are asked for every 2
seconds. [Rows since a version](http.md#rows-since-a-version) has the rules.

## The SQL shell

\`framehold sql\` on a terminal reads statements until \`;\`, over as many lines as they need. Tab completes keywords, frames, and the columns of frames that the statement
names. Ctrl-C cancels the statement that runs, or the one that is typed; Ctrl-D or \`\\q\` leaves. \`\\d\` lists the frames, \`\\d NAME\` the columns of one, \`\\?\` helps.
Lines are kept in \`$XDG_STATE_HOME/framehold/sql-history\` (else \`~/.local/state/framehold\`), with mode 0600, the last 1,000 of them.

## What is put

The format is that of \`--format\`, else of the suffix, else of the first bytes. Files that claim to be Parquet or Arrow and do not begin like it are refused before anything is
sent. Files compressed with gzip or zstd are unpacked while they are sent. The name is that of the file, without suffixes and with \`_\` for characters that names cannot have;
for standard input the server chooses one unless you give it.

## restore

\`framehold restore NAME@VERSION\` is about a frame on a server. \`framehold restore DIRECTORY\` fills a data directory from a [backup](../guides/backup.md). A directory whose
name looks like a version is written with a slash, \`./nightly@3\`, or has a flag of the server behind it, such as \`--data-dir\`.
`;

function section(command: Command): string {
  const { name, words, summary, flags, piped, examples } = command;
  const table =
    flags.length === 0 ? '' : `\n| flag | meaning |\n|---|---|\n${flags.map(flagRow).join('\n')}\n`;
  return `### framehold ${name}

\`framehold ${`${name} ${words}`.trim()}\`: ${summary}. Into a pipe: ${piped}.
${table}
\`\`\`bash
${examples.join('\n')}
\`\`\`
`;
}

function flagRow(flag: Flag): string {
  return `| \`${flagText(flag)}\` | ${flag.doc.replaceAll('|', '\\|')} |`;
}
