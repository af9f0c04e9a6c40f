/**
 * The servers that an address names, as libpq reads it:
 * `postgres://user@one:5432,two:5432/kontor?target_session_attrs=read-write`. The driver knows one
 * server alone, so the list is gone through here, in its order, for one that takes writes.
 */
import pg from 'pg'
import { UsageError } from '../core/usage.ts'

const ANSWER_MILLISECONDS = 3_000
const LOOK_AGAIN_MILLISECONDS = 5_000
const PARAMETER = 'target_session_attrs'
/** Kontor always writes. */
const WRITING: readonly string[] = ['read-write', 'primary']
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/

export class Servers {
  readonly #urls: readonly string[]
  readonly #asks: boolean
  #chosen: Promise<string> | undefined
  #chosenAt = 0

  constructor(address: string) {
    const urls = urlsOf(address)
    const wanted = urls.map((url) => parameterOf(url)).find((value) => value !== undefined)
    if (wanted !== undefined && wanted !== 'any' && !WRITING.includes(wanted))
      throw new UsageError(`${PARAMETER} of DATABASE_URL must be any, read-write or primary`)
    this.#urls = urls.map((url) => withoutParameter(url))
    this.#asks = urls.length > 1 || (wanted !== undefined && WRITING.includes(wanted))
  }

  /** The address of the server to use. Throws when there is none now. */
  async url(): Promise<string> {
    const [only = ''] = this.#urls
    if (!this.#asks) return only
    if (performance.now() - this.#chosenAt > LOOK_AGAIN_MILLISECONDS) this.#lookAgain()
    if (this.#chosen === undefined) {
      const choice = this.#choose()
      this.#chosen = choice
      this.#chosenAt = performance.now()
      choice.catch(() => {
        if (this.#chosen === choice) this.#chosen = undefined
      })
    }
    return this.#chosen
  }

  /** After a failure that another server may not have: all are asked again. */
  forget(): void {
    this.#chosen = undefined
  }

  /** It may have become a standby while nothing was asked. Others are asked only then. */
  #lookAgain(): void {
    const choice = this.#chosen
    if (choice === undefined) return
    this.#chosenAt = performance.now()
    const look = async (): Promise<void> => {
      if (!(await takesWrites(await choice)) && this.#chosen === choice) this.forget()
    }
    // A choice that fails is forgotten by whoever made it.
    look().catch(() => undefined)
  }

  async #choose(): Promise<string> {
    for (const url of this.#urls) if (await takesWrites(url)) return url
    throw new Error('no server that DATABASE_URL names takes writes')
  }
}

/** One for each server of the list. */
function urlsOf(address: string): string[] {
  const [, before = '', servers = '', rest = ''] = ADDRESS.exec(address) ?? []
  return servers.includes(',')
    ? servers.split(',').map((server) => `${before}${server}${rest}`)
    : [address]
}

function parameterOf(url: string): string | undefined {
  return url.includes(PARAMETER)
    ? (new URL(url).searchParams.get(PARAMETER) ?? undefined)
    : undefined
}

function withoutParameter(url: string): string {
  if (!url.includes(PARAMETER)) return url
  const parsed = new URL(url)
  parsed.searchParams.delete(PARAMETER)
  return parsed.href
}

/** False for a standby, and for a server that does not answer in time. */
async function takesWrites(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MILLISECONDS,
    query_timeout: ANSWER_MILLISECONDS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ read_only: string }>(
      "select current_setting('transaction_read_only') as read_only",
    )
    return rows[0]?.read_only === 'off'
  } catch {
    return false
  } finally {
    // A server that hangs does not say goodbye.
    client.end().catch(() => undefined)
  }
}
