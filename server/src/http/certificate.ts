/**
 * The certificate of our own TLS, and its key. Both files are read again and again: a renewed pair
 * is used for new connections without a restart. A bad one is not, and the former one stays.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { SecureContextOptions, Server } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import { figures } from '../core/figures.ts'
import type { Figures } from '../core/figures.ts'
import { UsageError } from '../core/usage.ts'

const LOOK_MILLISECONDS = 10_000
const MINIMUM_VERSION = 'TLSv1.2'
const EXPIRED = 'the certificate has expired'

/** In PEM: the chain, own certificate first, and its private key. */
export type CertificateFiles = { certificate: string; key: string }

type Texts = { cert: Buffer; key: Buffer }
type Pair = Texts & { expires_at: number }

type Log = Pick<FastifyBaseLogger, 'info' | 'error'>

/** Undefined without files. Throws a sentence that names the file that cannot be used. */
export async function openCertificate(
  files: CertificateFiles | undefined,
  log: Log,
): Promise<Certificate | undefined> {
  return files === undefined
    ? undefined
    : new Certificate(files, pairOf(files, await readTexts(files)), log)
}

export class Certificate {
  readonly #files: CertificateFiles
  readonly #log: Log
  readonly #servers = new Set<Server>()
  #pair: Pair
  /** Why what the files hold now is not used. */
  #fault: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(files: CertificateFiles, pair: Pair, log: Log) {
    this.#files = files
    this.#pair = pair
    this.#log = log
    // Refused, it would also keep those out who need none of it.
    if (this.left_ms <= 0) log.error({ ...files, expired_at: this.#expiry }, EXPIRED)
    this.#lookLater()
  }

  /** What a server begins with. */
  get options(): Pick<SecureContextOptions, 'cert' | 'key' | 'minVersion'> {
    const { cert, key } = this.#pair
    return { cert, key, minVersion: MINIMUM_VERSION }
  }

  get left_ms(): number {
    return this.#pair.expires_at - Date.now()
  }

  get fault(): string | undefined {
    return this.#fault
  }

  /** Renews what the server shows to new connections, until it is closed. */
  renew(server: Server): void {
    this.#servers.add(server)
    server.once('close', () => this.#servers.delete(server))
  }

  /** Reads the files now, instead of at the next turn. */
  async look(): Promise<void> {
    try {
      const texts = await readTexts(this.#files)
      const isKnown = texts.cert.equals(this.#pair.cert) && texts.key.equals(this.#pair.key)
      if (!isKnown) this.#use(pairOf(this.#files, texts))
      this.#fault = undefined
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      if (fault !== this.#fault)
        this.#log.error({ fault, until: this.#expiry }, 'the former certificate stays in use')
      this.#fault = fault
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  get #expiry(): string {
    return new Date(this.#pair.expires_at).toISOString()
  }

  #use(pair: Pair): void {
    if (pair.expires_at <= Date.now()) throw new Error(`${this.#files.certificate}: ${EXPIRED}`)
    this.#pair = pair
    for (const server of this.#servers) server.setSecureContext(this.options)
    this.#log.info({ ...this.#files, until: this.#expiry }, 'a new certificate is in use')
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      void this.look().finally(() => {
        if (!this.#isClosed) this.#lookLater()
      })
    }, LOOK_MILLISECONDS).unref()
  }
}

async function readTexts({ certificate, key }: CertificateFiles): Promise<Texts> {
  return {
    cert: await readNamed('KONTOR_TLS_CERTIFICATE', certificate),
    key: await readNamed('KONTOR_TLS_KEY', key),
  }
}

function pairOf({ certificate, key }: CertificateFiles, texts: Texts): Pair {
  const parsed = orRefuse(
    `KONTOR_TLS_CERTIFICATE: ${certificate} holds no certificate`,
    () => new X509Certificate(texts.cert),
  )
  const own = orRefuse(`KONTOR_TLS_KEY: ${key} holds no key that opens without a passphrase`, () =>
    createPrivateKey(texts.key),
  )
  if (!parsed.checkPrivateKey(own))
    throw new UsageError(`KONTOR_TLS_KEY: the key in ${key} is not that of ${certificate}`)
  orRefuse(`${certificate} and ${key} cannot be used`, () =>
    createSecureContext({ ...texts, minVersion: MINIMUM_VERSION }),
  )
  return { ...texts, expires_at: parsed.validToDate.getTime() }
}

async function readNamed(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new UsageError(`${variable}: ${file} cannot be read: ${String(error)}`, { cause: error })
  }
}

function orRefuse<T>(words: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${words}: ${reason}`, { cause: error })
  }
}

/** Nothing is shown where TLS is spoken by others. */
export const certificateFigures = (certificate: Certificate | undefined): Figures =>
  figures({
    name: 'certificate',
    gauges: {
      kontor_certificate_left_seconds: {
        help: 'For how long the certificate in use is still valid',
        labels: [],
      },
      kontor_certificate_refused: {
        help: '1 while the files hold a certificate or key that is not used',
        labels: [],
      },
    },
    read: async () => {
      const shown = (value: number) => ({ labels: {}, value })
      return {
        kontor_certificate_left_seconds:
          certificate === undefined ? [] : [shown(Math.floor(certificate.left_ms / 1000))],
        kontor_certificate_refused:
          certificate === undefined ? [] : [shown(certificate.fault === undefined ? 0 : 1)],
      }
    },
  })
