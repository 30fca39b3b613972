import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

export interface CertificateFilesOf {
  readonly cert: string;
  readonly key: string;
}

/** An authority of its own that signs certificates for the test, with the real openssl. */
export class TestAuthority {
  readonly folder = temporaryFolder('authority');
  readonly cert = join(this.folder, 'ca.pem');
  readonly #key = join(this.folder, 'ca.key');
  #count = 0;

  constructor(name = 'Test authority') {
    const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes'];
    const extensions = [
      '-addext',
      'basicConstraints=critical,CA:TRUE',
      '-addext',
      'keyUsage=critical,keyCertSign',
    ];
    openssl(['req', '-x509', ...ec, ...subject, ...extensions, '-keyout', this.#key, '-out', this.cert]);
  }

  /** `alternativeNames` as openssl writes them: `IP:127.0.0.1,DNS:localhost`. */
  sign(
    subject: string,
    alternativeNames: string | null = null,
    into?: CertificateFilesOf,
  ): CertificateFilesOf {
    this.#count += 1;
    const base = join(this.folder, `signed-${this.#count}`);
    const files = into ?? { cert: `${base}.pem`, key: `${base}.key` };
    openssl(['req', ...ec, '-nodes', '-subj', subject, '-keyout', files.key, '-out', `${base}.csr`]);
    const extension = `${base}.ext`;
    writeFileSync(extension, alternativeNames === null ? '' : `subjectAltName=${alternativeNames}\n`);
    const authority = ['-CA', this.cert, '-CAkey', this.#key, '-CAcreateserial', '-days', '2'];
    openssl(['x509', '-req', '-in', `${base}.csr`, ...authority, '-extfile', extension, '-out', files.cert]);
    return files;
  }

  /** Until that moment and not a day longer, which `openssl x509` cannot. */
  signUntil(subject: string, end: Date): CertificateFilesOf {
    this.#count += 1;
    const base = join(this.folder, `signed-${this.#count}`);
    const files = { cert: `${base}.pem`, key: `${base}.key` };
    openssl(['req', ...ec, '-nodes', '-subj', subject, '-keyout', files.key, '-out', `${base}.csr`]);
    const config = `${base}.conf`;
    writeFileSync(`${base}.index`, '');
    writeFileSync(
      config,
      `[ca]\ndefault_ca=own\n[own]\ndatabase=${base}.index\nnew_certs_dir=${this.folder}\ndefault_md=sha256\nrand_serial=yes\npolicy=any\n[any]\ncommonName=supplied\n`,
    );
    const enddate = `${end.toISOString().replace(/[-:T]|\.\d+/g, '')}`;
    const authority = ['-config', config, '-cert', this.cert, '-keyfile', this.#key];
    openssl([
      'ca',
      '-batch',
      '-notext',
      ...authority,
      '-enddate',
      enddate,
      '-in',
      `${base}.csr`,
      '-out',
      files.cert,
    ]);
    return files;
  }

  /** For a server on this machine. */
  signServer(into?: CertificateFilesOf): CertificateFilesOf {
    return this.sign('/CN=localhost', 'IP:127.0.0.1,DNS:localhost', into);
  }
}

const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
