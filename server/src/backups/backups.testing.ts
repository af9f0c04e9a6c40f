/** For tests: a database with books, and the commands of its operator. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { systemClock } from '../core/clock.ts'
import { UsageError } from '../core/usage.ts'
import { openLane } from '../ledger/index.ts'
import type { Lane } from '../ledger/index.ts'
import { bookingChange } from '../ledger/lane/books.testing.ts'
import type { TestBooks } from '../ledger/lane/books.testing.ts'
import { openDb } from '../store/db.ts'
import type { Db } from '../store/db.ts'
import { startEmbedded } from '../store/embedded.ts'
import type { Embedded } from '../store/embedded.ts'
import { migrate } from '../store/migrate.ts'
import type { Head } from './backups.schema.ts'
import { readHeads } from './heads.ts'
import { DATA_COMMANDS } from './index.ts'

/** A Kontor without a service: its database, its lane, and the commands of its operator. */
export class Operator {
  readonly folder: string
  readonly dataDir: string
  readonly backups: string
  readonly archive: string
  server!: Embedded
  db!: Db
  lane!: Lane
  books!: TestBooks

  constructor(folder: string) {
    this.folder = folder
    this.dataDir = join(folder, 'data')
    this.backups = join(folder, 'backups')
    this.archive = join(folder, "the operator's 100% archive")
  }

  async start(): Promise<void> {
    const dir = join(this.dataDir, 'postgres')
    this.server = await startEmbedded({ dir, durable: false, archive: this.archive })
    await migrate(this.server.ownerUrl)
    this.db = openDb({ url: this.server.serviceUrl })
    this.lane = openLane(this.db, systemClock)
  }

  async stop(): Promise<void> {
    await this.lane.close()
    await this.db.close()
    await this.server.stop()
  }

  async book(times = 1): Promise<void> {
    const { workspace, house: from, customer: to } = this.books
    for (let time = 0; time < times; time += 1)
      await this.lane.commit(bookingChange(workspace, { from, to, quantity: '1.5' }))
  }

  async head(): Promise<Head | undefined> {
    return (await readHeads(this.server.ownerUrl)).books[0]
  }

  /** In this process. Answers what it said, or why it refused. */
  async run(name: string, ...args: string[]): Promise<{ code: number; said: string }> {
    const lines: string[] = []
    try {
      const code = await DATA_COMMANDS[name]?.run({
        dataDir: this.dataDir,
        clock: systemClock,
        args,
        ending: new AbortController().signal,
        say: (line) => void lines.push(line),
        withServer: (work) => work(this.server),
      })
      return { code: code ?? -1, said: lines.join('\n') }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return { code: 1, said: error.message }
    }
  }

  /** In a process of its own, which may be killed, or have a limit on its files. */
  spawn(limit: string, ...args: string[]) {
    const command = join(import.meta.dirname, '../../../tools/setup/command.mjs')
    const { DATABASE_URL: _, ...env } = process.env
    const child = spawn(
      'sh',
      ['-c', `${limit} exec "$0" "$@"`, process.execPath, command, ...args],
      {
        env: { ...env, DATA_DIR: this.dataDir },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    child.stderr.on('data', (chunk) => (said += chunk))
    const ended = new Promise<{ code: number | null; said: string }>((done) =>
      child.once('close', (code) => {
        done({ code, said })
      }),
    )
    return { child, ended }
  }

  async backup(...args: string[]): Promise<string> {
    const { code, said } = await this.run('backup', '--to', this.backups, ...args)
    assert.equal(code, 0, said)
    return /^(\S+): \d+ bytes/.exec(said)?.[1] ?? ''
  }
}
