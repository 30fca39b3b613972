/**
 * Loaded before the server (`node --import`), in each of its threads: stops the process (SIGSTOP) in the instant in which a step is
 * announced, as a machine that hangs does. STOP_AT is the step; it counts once the file STOP_ARMED_BY is there, and only once.
 */
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, rmSync } from 'node:fs';
import { failpointChannel } from '../../src/model/failpoints.ts';

const wanted = process.env.STOP_AT ?? '';
const armedBy = process.env.STOP_ARMED_BY ?? '';

if (wanted !== '')
  subscribe(failpointChannel, (step) => {
    if (step !== wanted || !existsSync(armedBy)) return;
    rmSync(armedBy);
    process.kill(process.pid, 'SIGSTOP');
  });
