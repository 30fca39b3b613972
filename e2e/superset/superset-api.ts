import assert from 'node:assert/strict';

/** The only database that the guide makes. */
const database = 1;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Superset's REST interface, which its own pages use. */
export class SupersetApi {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string) {
    this.#url = url;
    this.#headers = { 'content-type': 'application/json', referer: url };
  }

  async isUp(): Promise<boolean> {
    return await fetch(`${this.#url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async logIn(username: string, password: string): Promise<void> {
    const credentials = { username, password, provider: 'db', refresh: false };
    const { access_token } = (await this.#must('POST', '/api/v1/security/login', credentials)) as {
      access_token: string;
    };
    this.#headers.authorization = `Bearer ${access_token}`;
    const answer = await fetch(`${this.#url}/api/v1/security/csrf_token/`, { headers: this.#headers });
    this.#headers.cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0] ?? '')
      .join('; ');
    this.#headers['x-csrftoken'] = ((await answer.json()) as { result: string }).result;
  }

  async schemas(): Promise<readonly string[]> {
    const { result } = (await this.#must('GET', `/api/v1/database/${database}/schemas/`)) as {
      result: string[];
    };
    return result;
  }

  async tables(schema: string): Promise<readonly string[]> {
    const path = `/api/v1/database/${database}/tables/?q=(schema_name:${schema})`;
    const { result } = (await this.#must('GET', path)) as { result: { value: string }[] };
    return result.map(({ value }) => value);
  }

  async columns(schema: string, table: string): Promise<readonly string[]> {
    const path = `/api/v1/database/${database}/table_metadata/?name=${table}&schema=${schema}`;
    const { columns } = (await this.#must('GET', path)) as { columns: { name: string }[] };
    return columns.map(({ name }) => name);
  }

  /** `id`: by which it can be stopped. */
  async run(sql: string, id: string): Promise<unknown> {
    const body = { database_id: database, sql, schema: 'public', runAsync: false, client_id: id };
    return ((await this.#must('POST', '/api/v1/sqllab/execute/', body)) as { data: unknown }).data;
  }

  async stop(id: string): Promise<void> {
    await this.#must('POST', '/api/v1/query/stop', { client_id: id });
  }

  async #must(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.#ask(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async #ask(method: string, path: string, body?: object): Promise<Answer> {
    const init = {
      method,
      headers: this.#headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await fetch(`${this.#url}${path}`, init);
    return { status: answer.status, body: await answer.json() };
  }
}
