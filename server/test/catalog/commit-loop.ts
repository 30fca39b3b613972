/** Child of the durability test: commits until it is killed, and prints each change once it is acknowledged. */
import { writeSync } from 'node:fs';
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { change } from './change-builder.ts';

const [path = '', round = ''] = process.argv.slice(2);
const catalog = await openSqliteCatalog({ path });
let count = 0;

async function submit(): Promise<never> {
  for (;;) {
    const name = `r${round}.${count++}`;
    await catalog.commit(change(name, 'create'));
    const put = change(name, 'append');
    const { record } = await catalog.commit(put);
    writeSync(1, `${name} ${record.version} ${put.part.id}\n`);
  }
}

await Promise.all(Array.from({ length: 6 }, submit));
