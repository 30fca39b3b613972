/** The credential for the external database: it works, it fails kindly, and it is nowhere to be read. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { type Questdb, startQuestdb } from '../../server/test/support/questdb-process.ts';
import { rawGet } from '../../server/test/support/raw-http.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { postSql, sqlTable } from '../sql/sql-client.ts';

const username = 'framehold-canary';
/** With what has a meaning in URLs, headers, JSON and settings files. */
const password = 'canary 7f3a:/?#%41+=@&"\\\'{}ZQ';
const token = 'canary-qt1.9d2e~+/ZQ==';

/** Each secret as it could be written down. */
function forms(secret: string): string[] {
  const plain = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ x: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    plain.toString('base64'),
    plain.toString('base64url'),
    plain.toString('hex'),
  ];
}
const canaries = [...new Set([password, token, `${username}:${password}`].flatMap(forms))];

function assertNoSecret(text: string, where: string): void {
  for (const canary of canaries)
    assert.ok(!text.toLowerCase().includes(canary.toLowerCase()), `${canary} in ${where}`);
}

let questdb: Questdb;
let echo: FakeUpstream;
const folder = temporaryFolder('tsdb-credentials');
const passwordFile = join(folder, 'password');
const tokenFile = join(folder, 'token');
const faultModule = join(folder, 'fault.mjs');

before(async () => {
  writeFileSync(passwordFile, `${password}\n`);
  writeFileSync(tokenFile, `${token}\n`);
  writeFileSync(faultModule, "process.on('SIGUSR2', () => { throw new Error('a fault of a test'); });\n");
  questdb = await startQuestdb({ QDB_HTTP_USER: username, QDB_HTTP_PASSWORD: password });
  echo = await FakeUpstream.start(({ head, socket }) => {
    const isRight = head.includes(`\r\nauthorization: Bearer ${token}\r\n`);
    const text = isRight ? '{"columns":[],"dataset":[],"count":0}' : 'Unauthorized';
    const type = isRight ? 'application/json' : 'text/plain';
    socket.write(
      `HTTP/1.1 ${isRight ? '200 OK' : '401 Unauthorized'}\r\nwww-authenticate: Bearer\r\ncontent-type: ${type}\r\n` +
        `content-length: ${text.length}\r\n\r\n${text}`,
    );
  });
});
after(async () => {
  await questdb.stop();
  await echo.stop();
  removeFolder(folder);
});

const select = '/exec?query=select%2042%20answer&fmt=json';
const join42 = "select answer from tsdb('select 42L answer')";

/** Asks for everything that could show something, and gives all of it. */
async function everything(url: string): Promise<string> {
  await send(url, '/v1/frames/small', 'a\n1\n', { type: 'text/csv', method: 'PUT' });
  const paths = [
    select,
    '/exec?query=selec&fmt=json',
    '/exec?query=select%201&fmt=csv',
    '/exec?handle=small&fmt=json',
    '/exec?handle=missing&fmt=json',
    ...['/ping', '/healthz', '/readyz', '/metrics', '/v1/openapi.json', '/v1/frames', '/v1/frames/small'],
    ...['/v1/queries', '/v1/settings', '/v1/config', '/.env', '/', '/%zz'],
  ];
  const answers = await Promise.all(
    paths.map(async (path) => {
      const { statusLine, headers, body } = await rawGet(url, path);
      return `${path} ${statusLine} ${JSON.stringify(headers)} ${body}`;
    }),
  );
  const statements = [
    join42,
    "select * from tsdb('select nosuch')",
    "select * from tsdb('drop table x')",
    "select * from tsdb('select 1') t, nosuch",
    "create or replace table kept as select * from tsdb('select 42L answer')",
    "explain select * from tsdb('select 42L answer')",
    "select getenv('FRAMEHOLD_TSDB_PASSWORD')",
    "select current_setting('http_proxy_password')",
    'select * from duckdb_secrets()',
  ];
  for (const sql of statements) {
    const { headers, text } = await postSql(url, sql);
    answers.push(`${sql} ${JSON.stringify([...headers])} ${text}`);
  }
  answers.push((await getText(`${url}/metrics`)).text, (await getText(`${url}/v1/frames/kept`)).text);
  return answers.join('\n');
}

/** What stays on the disk, and what the processes of the engine were given. */
function leftBehind(framehold: Framehold): string {
  const files = readdirSync(framehold.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size < 64 * 1024 ** 2 && !path.endsWith('config.toml'))
    .map((path) => readFileSync(path, 'latin1'));
  const children = readFileSync(`/proc/${framehold.pid}/task/${framehold.pid}/children`, 'utf8').trim();
  const processes = children.split(' ').filter((pid) => pid !== '');
  assert.ok(processes.length > 0, 'the engine has a process');
  const environments = processes.flatMap((pid) =>
    ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1')),
  );
  const own = readFileSync(`/proc/${framehold.pid}/cmdline`, 'latin1');
  return [...files, ...environments, own].join('\n');
}

const trace = { FRAMEHOLD_LOG_LEVEL: 'trace' };

interface Way {
  readonly what: string;
  readonly url: () => string;
  readonly env?: () => Readonly<Record<string, string>>;
  readonly config?: () => string;
  readonly works: boolean;
}

const ways: readonly Way[] = [
  {
    what: 'a password in a file of its own',
    url: () => questdb.url,
    config: () =>
      `tsdb.username = ${JSON.stringify(username)}\ntsdb.password_file = ${JSON.stringify(passwordFile)}\n`,
    works: true,
  },
  {
    what: 'credentials in the URL',
    url: () => questdb.url.replace('//', `//${username}:${encodeURIComponent(password)}@`),
    works: true,
  },
  {
    what: 'the wrong password, from the environment',
    url: () => questdb.url,
    env: () => ({ FRAMEHOLD_TSDB_USERNAME: username, FRAMEHOLD_TSDB_PASSWORD: `${password}${token}` }),
    works: false,
  },
];

describe('a QuestDB that asks for a name and a password', () => {
  for (const { what, url, env, config, works } of ways) {
    it(`${what}: ${works ? 'works' : 'fails kindly'} in proxy mode and in tsdb(), and is shown nowhere`, async () => {
      const ownConfigFile = config?.();
      const framehold = await Framehold.start({
        env: { ...trace, FRAMEHOLD_TSDB_HTTP_URL: url(), ...env?.() },
        ...(ownConfigFile === undefined ? {} : { ownConfigFile }),
        imports: [faultModule],
      });
      try {
        const passed = await rawGet(framehold.url, select);
        if (works) {
          assert.deepEqual(JSON.parse(passed.body.toString()).dataset, [[42]]);
          assert.deepEqual((await sqlTable(framehold.url, join42)).dataset, [[42]]);
        } else {
          assert.deepEqual([passed.status, passed.body.toString().trim()], [401, 'Unauthorized']);
          assert.equal(passed.headers['www-authenticate'], undefined);
          const { status, text } = await postSql(framehold.url, join42);
          const problem = JSON.parse(text) as Record<string, string>;
          assert.deepEqual([status, problem.code], [502, 'tsdb_failed']);
          assert.match(problem.detail ?? '', /refuses the credential that this server has for it \(401\)/);
          assert.match(problem.hint ?? '', /tsdb\.username and tsdb\.password, or tsdb\.token/);
        }
        assertNoSecret(await everything(framehold.url), 'an answer');
        assertNoSecret(leftBehind(framehold), 'a file or the environment of a process');
        // The last words of a process that ends by a fault.
        framehold.signal('SIGUSR2');
        await framehold.death();
        assert.match(framehold.lines.join('\n'), /a fault of a test/);
        assertNoSecret(framehold.lines.join('\n'), 'a line of the server');
        assert.ok(framehold.lines.length > 20, 'lines were collected');
      } finally {
        await framehold.remove();
      }
    });
  }

  it('no credential at all: the server says that it has none', async () => {
    const framehold = await Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: questdb.url } });
    try {
      assert.equal((await rawGet(framehold.url, select)).status, 401);
      const { text } = await postSql(framehold.url, join42);
      assert.match(text, /wants a credential, and this server has none for it/);
    } finally {
      await framehold.remove();
    }
  });
});

it('a database that takes a token gets it as Bearer, and only from its file', async () => {
  const framehold = await Framehold.start({
    env: { ...trace, FRAMEHOLD_TSDB_HTTP_URL: echo.url, FRAMEHOLD_TSDB_TOKEN_FILE: tokenFile },
  });
  try {
    const answer = await rawGet(framehold.url, select, { authorization: 'Bearer of-the-caller' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['www-authenticate'], undefined);
    assertNoSecret(await everything(framehold.url), 'an answer');
    const lines = await framehold.linesUntilNow();
    assertNoSecret(lines.join('\n'), 'a line of the server');
    assert.ok(!lines.some((line) => line.includes('tsdb-credential-unencrypted')));
  } finally {
    await framehold.remove();
  }
});

it('plain http to another machine: one line at start says so, without the credential', async () => {
  const framehold = await Framehold.start({
    env: { FRAMEHOLD_TSDB_HTTP_URL: `http://${username}:canary@192.0.2.1:9000/base` },
  });
  try {
    await framehold.stop();
    const lines = framehold.lines.filter((line) => line.includes('tsdb-credential-unencrypted'));
    assert.equal(lines.length, 1, framehold.lines.join('\n'));
    const { level, url } = JSON.parse(lines[0] ?? '') as Record<string, string>;
    assert.deepEqual([level, url], ['warn', 'http://192.0.2.1:9000/base']);
    assert.doesNotMatch(framehold.lines.join('\n'), /canary/);
  } finally {
    await framehold.remove();
  }
});

describe('the command', () => {
  const env = {
    FRAMEHOLD_TSDB_HTTP_URL: `http://${username}:${encodeURIComponent(password)}@127.0.0.1:9`,
    FRAMEHOLD_TSDB_USERNAME: username,
    FRAMEHOLD_TSDB_PASSWORD: password,
    FRAMEHOLD_TSDB_TOKEN: token,
  };
  for (const args of [['config'], ['config', '--json'], ['help']]) {
    it(`framehold ${args.join(' ')} shows no secret`, async () => {
      const { code, output } = await runFramehold(args, { env });
      assert.equal(code, 0, output);
      assert.equal(args.includes('config'), output.includes('***'));
      assertNoSecret(output, 'the output');
    });
  }

  it('contradictions stop the start with exit code 2, in one line, without a secret', async () => {
    const { code, lines } = await runFramehold(['server', '--data-dir', 'data'], { env });
    assert.equal(code, 2);
    assert.deepEqual(lines.length, 1, lines.join('\n'));
    assert.match(lines[0] ?? '', /^framehold: The external database is given .* one of them is allowed\./);
    assertNoSecret(lines.join('\n'), 'the output');
  });

  it('mistakes in names and values of secrets are reported without the secrets', async () => {
    for (const [ownConfigFile, says] of [
      [`tsdb.pasword = ${JSON.stringify(password)}\n`, /Did you mean tsdb\.password\?/],
      [`tsdb.password = [${JSON.stringify(password)}]\n`, /tsdb\.password: "\*\*\*"/],
      [`tsdb.token = ${JSON.stringify(`${token} `)}\n`, /tsdb\.token: "\*\*\*"/],
    ] as const) {
      const { code, output } = await runFramehold(['server'], { ownConfigFile });
      assert.equal(code, 2);
      assert.match(output, says);
      assertNoSecret(output, 'the output');
    }
  });
});
