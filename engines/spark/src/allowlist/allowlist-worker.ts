import { serveTasks, type Task } from '../../../../server/src/workers/serve-tasks.ts';
import { checkStatement, fillStatement } from './check-statement.ts';
import { guarded } from './guarded.ts';

/** What most statements have something of: a caller's first one finds a parser that has learned it, and code that was compiled. */
const common = `
  WITH recent AS (SELECT a, b, sum(c) AS total FROM t WHERE d >= DATE '2026-01-01' GROUP BY a, b HAVING count(*) > 1)
  SELECT x.a, x.b, CASE WHEN x.total > 0 THEN round(x.total, 2) ELSE 0.0 END AS total,
    row_number() OVER (PARTITION BY x.a ORDER BY x.total DESC) AS place, CAST(y.e AS DECIMAL(10, 2)) AS e
  FROM recent x JOIN u y ON x.a = y.a AND x.b IN (1, 2, 3) LEFT JOIN v z ON z.k = y.k
  WHERE y.f LIKE 'a%' AND y.g BETWEEN 1 AND 9 AND NOT EXISTS (SELECT 1 FROM w WHERE w.a = x.a) AND z.h IS NOT NULL
  ORDER BY total DESC, x.a LIMIT 10`;

checkStatement(common);

/** The process in which statements are read and judged: whatever one does to the parser ends with it. */
serveTasks({
  check: guarded(checkStatement) as Task,
  fill: guarded(fillStatement) as Task,
});
