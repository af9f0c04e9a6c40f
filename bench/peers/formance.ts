/**
 * Formance ledger v2.4: `formance serve` on PostgreSQL, one ledger with its features as they are
 * when nothing is said (logs hashed, history of moves). Its exporters are not used.
 */
import { join } from 'node:path'
import { freePort } from '../../server/src/store/ports.ts'
import { ACCOUNTS } from './peer.ts'
import type { Peer, Running } from './peer.ts'
import { startPostgres } from './postgres.ts'
import type { Database } from './postgres.ts'
import { answering, call, isAnswered, startProgram } from './programs.ts'
import { httpLoads } from './wrk.ts'

/**
 * With its 20 it stands still at 64 connections: a request that holds one waits for another one.
 */
const POOL = '290'

export const formance = (programs: string): Peer => ({
  name: 'Formance ledger',
  async start(folder) {
    const database = await startPostgres(folder, 'formance')
    try {
      return await startLedger(programs, folder, database)
    } catch (error) {
      await database.end()
      throw error
    }
  },
})

async function startLedger(programs: string, folder: string, database: Database): Promise<Running> {
  const address = `127.0.0.1:${await freePort()}`
  const server = await startProgram('formance', {
    program: join(programs, 'formance'),
    args: [
      'serve',
      `--bind=${address}`,
      '--auto-upgrade',
      `--postgres-uri=${database.url}`,
      `--postgres-max-open-conns=${POOL}`,
      `--postgres-max-idle-conns=${POOL}`,
    ],
    folder,
  })
  const end = async () => {
    await server.end()
    await database.end()
  }
  try {
    await answering(server, () => isAnswered(`http://${address}/_healthcheck`))
    await call(`http://${address}/v2/bench`, {})
    return { ...loadsOn(folder, `http://${address}/v2/bench/transactions`), end }
  } catch (error) {
    await server.end()
    throw error
  }
}

const loadsOn = (folder: string, url: string): Omit<Running, 'end'> =>
  httpLoads({
    folder,
    url,
    headers: { 'Idempotency-Key': '{key}' },
    body: {
      postings: [{ source: '{debit}', destination: '{credit}', asset: 'EUR/2', amount: 100 }],
      // No balance is checked, as for the accounts of Kontor.
      force: true,
    },
    accounts: Array.from({ length: ACCOUNTS }, (_, number) => `customers:${number}`),
    busy: ['house', 'customers:0'],
  })
