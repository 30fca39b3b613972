import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child-process.ts';
import { haproxyEnvironment, toolPath } from './deploy-tools.ts';
import { freePort } from './free-port.ts';
import { repositoryRoot } from './repository.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Where a node listens. */
export interface NodePorts {
  readonly http: number;
  readonly grpc: number;
}

export interface ManagedPorts extends NodePorts {
  /** Where the balancer asks whether the node is ready. */
  readonly management: number;
}

/** The balancer's settings of deploy/compose with addresses of this machine instead of those of containers; nothing else differs. */
export function balancerSettings(own: NodePorts, nodes: readonly ManagedPorts[]): string {
  let text = readFileSync(join(repositoryRoot, 'deploy', 'compose', 'haproxy.cfg'), 'utf8')
    .replace('bind :9000', `bind 127.0.0.1:${own.http}`)
    .replace('bind :50052', `bind 127.0.0.1:${own.grpc}`);
  for (const [index, { http, grpc, management }] of nodes.entries())
    text = text
      .replace(`framehold-${index + 1}:9000 check port 9001`, `127.0.0.1:${http} check port ${management}`)
      .replace(
        `framehold-${index + 1}:50052 proto h2 check port 9001`,
        `127.0.0.1:${grpc} proto h2 check port ${management}`,
      );
  return text;
}

/** A running HAProxy with those settings. */
export class ComposeBalancer {
  readonly url: string;
  readonly grpcUrl: string;
  readonly #process: Child;

  /** Resolves when it passes requests on. */
  static async start(nodes: readonly ManagedPorts[]): Promise<ComposeBalancer> {
    const own = { http: await freePort(), grpc: await freePort() };
    const file = join(temporaryFolder('balancer'), 'haproxy.cfg');
    writeFileSync(file, balancerSettings(own, nodes));
    const balancer = new ComposeBalancer(own, file);
    await balancer.#process.until('ready node behind the balancer', async () => {
      const answer = await fetch(`${balancer.url}/readyz`).catch(() => null);
      return answer?.ok ? true : null;
    });
    return balancer;
  }

  private constructor(own: NodePorts, file: string) {
    this.url = `http://127.0.0.1:${own.http}`;
    this.grpcUrl = `grpc://127.0.0.1:${own.grpc}`;
    // -db: in the foreground.
    this.#process = new Child({
      command: toolPath('haproxy'),
      args: ['-db', '-f', file],
      env: haproxyEnvironment,
    });
  }

  /** What it has logged: which nodes it found up and down. */
  log(): string {
    return this.#process.tail();
  }

  /** At once, as a container is removed: its grace period would wait for idle connections. */
  async stop(): Promise<void> {
    await this.#process.stop('SIGKILL');
  }
}
