import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../../../../server/test/support/child-process.ts';
import { sparkHome } from './spark-parts.ts';

/** Settings of Spark, as `spark-defaults.conf` has them. */
export type SparkConf = Readonly<Record<string, string>>;

export interface SparkProcessOptions {
  /** A folder of its own: settings, logs and temporary files. */
  readonly folder: string;
  /** A program of Spark's `bin`, and its arguments. */
  readonly program: 'spark-submit' | 'spark-class';
  readonly args: readonly string[];
  readonly conf: SparkConf;
  /** The heap, as Java writes it: `512m`. */
  readonly memory: string;
  /** Whether it works for minutes only: Java's second compiler takes a third of the processor time of such a run, and gives it back later. */
  readonly isShort: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Collectors on several threads would wait for each other on two cores. */
const javaOptions = '-XX:+UseSerialGC';

/** Warnings only: Spark says hundreds of lines for each statement otherwise. */
const logSettings = `rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n%ex
`;

/** What tests say to every process of Spark: loopback only, nothing outside of its folder, no files of the person who runs it. */
export function startSparkProcess(options: SparkProcessOptions): Child {
  const settings = join(options.folder, 'conf');
  const temporary = join(options.folder, 'tmp');
  for (const folder of [settings, temporary]) mkdirSync(folder, { recursive: true });
  const conf: SparkConf = {
    'spark.local.dir': temporary,
    'spark.sql.warehouse.dir': join(options.folder, 'warehouse'),
    'spark.driver.host': '127.0.0.1',
    'spark.driver.bindAddress': '127.0.0.1',
    ...options.conf,
  };
  const lines = Object.entries(conf).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(join(settings, 'spark-defaults.conf'), lines.join(''));
  writeFileSync(join(settings, 'log4j2.properties'), logSettings);
  return new Child({
    // It replaces itself by Java: the process id is that of the program.
    command: join(sparkHome, 'bin', options.program),
    args: options.args,
    env: {
      SPARK_HOME: sparkHome,
      SPARK_CONF_DIR: settings,
      SPARK_LOCAL_IP: '127.0.0.1',
      SPARK_LOCAL_DIRS: temporary,
      SPARK_DAEMON_MEMORY: options.memory,
      SPARK_DAEMON_JAVA_OPTS: options.isShort ? `${javaOptions} -XX:TieredStopAtLevel=1` : javaOptions,
      HOME: options.folder,
      // Java finds files with other than ASCII names only in such a locale.
      LC_ALL: 'C.UTF-8',
      ...options.env,
    },
    cwd: options.folder,
  });
}
