import { join } from 'node:path';
import { partsFolder } from '../../../../server/test/support/repository.ts';

/** Spark as `npm run setup` brings it. A test that imports this folder is of the kind `spark` (scripts/test-kinds.ts). */
export const sparkHome = join(partsFolder, 'spark-home');
/** With Spark's own client, which ours is compared with. */
export const sparkPython = join(partsFolder, 'spark', 'bin', 'python');
/** The statements of Spark's own tests: `sql-tests/inputs`, `tpch`, `tpcds`. */
export const sparkTestsJar = join(partsFolder, 'spark-tests', 'spark-sql_2.13-4.2.0-tests.jar');
/** What Spark needs to read and write `s3a://` addresses. */
export const sparkS3Jars = join(partsFolder, 'spark-s3');
