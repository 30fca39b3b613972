/** Runs one statement and reads its answer to the end. */
export async function askSql(url: string, sql: string): Promise<void> {
  const answer = await fetch(`${url}/v1/sql?fmt=arrow`, {
    method: 'POST',
    headers: { 'content-type': 'application/sql' },
    body: sql,
  });
  const body = await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.status} ${Buffer.from(body).toString().slice(0, 500)}`);
}

/** A busy machine may not start an engine in time; the server says so, and the next try finds it started. */
async function askPatiently(url: string, sql: string): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await askSql(url, sql);
    } catch (error) {
      if (tries === 5 || !String(error).includes('"overloaded"')) throw error;
    }
}

/** All engine processes are there afterwards, and have read the files: on a busy machine that takes longer than a round. */
export async function warmUpSql(url: string, sql: string): Promise<void> {
  const callers = 8;
  const statementsEach = 4;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let number = 0; number < statementsEach; number++)
        await askPatiently(url, sql.replaceAll('{n}', String(1 + caller * statementsEach + number)));
    }),
  );
}
