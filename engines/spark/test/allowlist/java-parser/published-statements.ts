import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../../../../server/test/support/temporary-folder.ts';
import { sparkTestsJar } from '../../support/spark-parts.ts';

export interface PublishedStatements {
  /** Of all other tests of SQL, each file cut at its semicolons. */
  readonly tests: readonly string[];
  readonly tpch: readonly string[];
  readonly tpcds: readonly string[];
}

const folders = ['sql-tests/inputs', 'ssb', 'tpcds', 'tpcds-modifiedQueries', 'tpcds-v2.7.0', 'tpch'];

/** The statements that Spark's own tests run, from the artifact in which they are published. */
export function publishedStatements(): PublishedStatements {
  const folder = temporaryFolder('spark-tests');
  try {
    execFileSync('jar', ['--extract', '--file', sparkTestsJar, ...folders], {
      cwd: folder,
    });
    const texts = (pattern: string) =>
      globSync(pattern, { cwd: folder })
        .sort()
        .map((file) => readFileSync(join(folder, file), 'utf8'));
    return {
      tests: [...new Set(texts('{sql-tests/inputs,ssb,tpcds-*}/**/*.sql').flatMap(statementsIn))],
      tpch: texts('tpch/*.sql'),
      tpcds: texts('tpcds/*.sql'),
    };
  } finally {
    removeFolder(folder);
  }
}

/** A semicolon in the middle of a statement makes two texts that are no statements: both parsers must say so. */
function statementsIn(file: string): readonly string[] {
  const statements = file.split(/;[ \t]*(?:--.*)?$/m).map((text) => text.trim());
  return statements.filter((text) => text !== '');
}
