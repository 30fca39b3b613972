/**
 * Loaded before the server (`node --import`), in each of its threads: kills the process, as kill -9 does, in the instant in
 * which a step is announced. CRASH_AT is `<step>#<occurrence>`; counting begins once the file CRASH_ARMED_BY is there.
 */
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { failpointChannel } from '../../src/model/failpoints.ts';

const [wanted = '', occurrence = '1'] = (process.env.CRASH_AT ?? '').split('#');
const armedBy = process.env.CRASH_ARMED_BY ?? '';
let left = Number(occurrence);

if (wanted !== '')
  subscribe(failpointChannel, (step) => {
    if (step !== wanted || !existsSync(armedBy)) return;
    left -= 1;
    if (left <= 0) process.kill(process.pid, 'SIGKILL');
  });
