import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child-process.ts';
import { partsFolder, repositoryRoot } from './repository.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What the image says about how it is run. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
}

const base = 'localhost/framehold-base';
const tag = 'localhost/framehold:test';

/**
 * The image, built by buildah over a base that `npm run setup` made, in a store of its own. What it contains runs as a container would:
 * as the image's user, with the image's environment, over a root that nobody can write to. Only the kernel's namespaces of processes and
 * networks are those of the machine. Needs root.
 */
export class BuiltImage {
  readonly config: ImageConfig;
  readonly #root: string;

  /** Wants `npm run build` first. */
  static build(): BuiltImage {
    const folder = temporaryFolder('image');
    const env = { ...process.env, ...storeEnvironment(folder) };
    const buildah = (...args: string[]) =>
      execFileSync('buildah', args, { env, encoding: 'utf8', stdio: 'pipe' });
    const container = buildah('from', 'scratch').trim();
    buildah('add', '--quiet', container, baseArchive(), '/');
    buildah('commit', '--quiet', container, base);
    buildah('rm', container);
    const script = join(repositoryRoot, 'scripts', 'build-image.ts');
    // One layer: this store copies the whole image for each.
    const args = [script, '--tag', tag, '--base', base, '--', '--layers=false', '--quiet'];
    execFileSync(process.execPath, args, { env, stdio: 'pipe' });
    const described = JSON.parse(buildah('inspect', '--type', 'image', tag)) as {
      OCIv1: { config: ImageConfig };
    };
    const root = buildah('mount', buildah('from', '--pull-never', tag).trim()).trim();
    return new BuiltImage(root, described.OCIv1.config);
  }

  private constructor(root: string, config: ImageConfig) {
    this.#root = root;
    this.config = config;
  }

  /** An empty folder that the image's user may use as the volume at its home. */
  newVolume(): string {
    const volume = temporaryFolder('volume');
    const [user = '', group = ''] = this.config.User.split(':');
    execFileSync('chown', [`${user}:${group}`, volume]);
    return volume;
  }

  /** Starts a command in it; without one, the image's own. */
  run(volume: string, options: { command?: readonly string[]; env?: Record<string, string> } = {}): Child {
    const { User, Env, Entrypoint, Cmd, WorkingDir } = this.config;
    const [user = '', group = ''] = User.split(':');
    const command = options.command ?? [...Entrypoint, ...Cmd];
    const settings = [
      ...Env,
      ...Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`),
    ];
    const enter = [
      'unshare',
      `--root=${this.#root}`,
      `--wd=${WorkingDir}`,
      `--setgid=${group}`,
      `--setuid=${user}`,
    ];
    return new Child({
      command: 'unshare',
      // Each program becomes the next, so that a signal reaches the last.
      args: [
        '--mount',
        'sh',
        '-euc',
        mounts,
        'sh',
        this.#root,
        volume,
        'setpriv',
        '--no-new-privs',
        ...enter,
      ].concat(['env', '--ignore-environment', ...settings, ...command]),
    });
  }
}

/** $1 is the root of the image, $2 the volume; the rest is the command. */
const mounts = `
  root=$1 volume=$2
  shift 2
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -o remount,bind,ro "$root"
  mount --bind "$volume" "$root/var/lib/framehold"
  mount -t tmpfs -o size=64m,mode=1777 tmpfs "$root/tmp"
  mount --bind /proc "$root/proc"
  mount --bind /dev "$root/dev"
  exec "$@"
`;

function baseArchive(): string {
  return join(partsFolder, 'image-base', `bookworm-node-${process.versions.node}.tar`);
}

/** Nothing of the images that this machine may have. */
function storeEnvironment(folder: string): Record<string, string> {
  const [graph, state] = [join(folder, 'graph'), join(folder, 'run')];
  mkdirSync(graph);
  mkdirSync(state);
  const file = join(folder, 'storage.conf');
  writeFileSync(file, `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${state}"\n`);
  return { CONTAINERS_STORAGE_CONF: file, BUILDAH_ISOLATION: 'chroot' };
}
