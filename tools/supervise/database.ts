/**
 * The operator's DATABASE_URL, with KONTOR_OWNER_DATABASE_URL for the migrations where that is
 * another login, or the embedded PostgreSQL, kept alive.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ofCaller } from '../../server/src/core/usage.ts'
import { startEmbedded, type Embedded } from '../../server/src/store/embedded.ts'
import { say, type Context } from './context.ts'

const PAUSES_MS = [0, 500, 1_000, 2_000, 5_000]
/** After this long the next end is a first one. */
const CALM_MS = 60_000

export type Database = {
  /** As soon as it runs. */
  place(): Promise<{ serviceUrl: string; ownerUrl: string; folder?: string }>
  /** It runs again elsewhere, its port being taken. */
  whenMoved(follow: () => Promise<void>): void
}

export async function provideDatabase(context: Context): Promise<Database> {
  const url = process.env['DATABASE_URL']
  if (url)
    return {
      place: async () => ({
        serviceUrl: url,
        ownerUrl: process.env['KONTOR_OWNER_DATABASE_URL'] || url,
      }),
      whenMoved: () => undefined,
    }
  const database = new EmbeddedDatabase(context)
  context.undo.push(() => database.stop())
  await database.place()
  database.keepAlive()
  return database
}

class EmbeddedDatabase implements Database {
  readonly #context: Context
  #current: Promise<Embedded>
  #follow = async (): Promise<void> => undefined
  #isStopping = false

  constructor(context: Context) {
    this.#context = context
    this.#current = this.#start()
  }

  place(): Promise<Embedded> {
    return this.#current
  }

  whenMoved(follow: () => Promise<void>): void {
    this.#follow = follow
  }

  keepAlive(): void {
    this.#keep().catch((error: unknown) =>
      this.#context.fail(
        'PostgreSQL could not be started again: ' +
          `${error instanceof Error ? error.message : String(error)}`,
      ),
    )
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await (await this.#current.catch(() => undefined))?.stop()
  }

  #start(): Promise<Embedded> {
    const archive = process.env['KONTOR_WAL_ARCHIVE']
    return startEmbedded({
      dir: join(this.#context.dataDir, 'postgres'),
      say,
      archive: archive ? ofCaller(archive) : null,
    })
  }

  async #keep(): Promise<void> {
    for (let failures = 0; ;) {
      const startedAt = Date.now()
      const { exited, serviceUrl } = await this.#current
      await exited
      if (this.#isStopping) return
      failures = Date.now() - startedAt > CALM_MS ? 1 : failures + 1
      const wait = PAUSES_MS[failures - 1]
      if (wait === undefined)
        return this.#context.fail(
          `PostgreSQL ended ${failures} times in a row; its words are in ` +
            `${join(this.#context.dataDir, 'postgres/server.log')}`,
        )
      say('PostgreSQL ended; starting it again')
      this.#current = pause(wait).then(() => this.#start())
      if ((await this.#current).serviceUrl !== serviceUrl) await this.#follow()
    }
  }
}
