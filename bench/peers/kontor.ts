/** This checkout, started as a user starts it: `npm start`, with the sandbox that comes with it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connectTo } from '../src/report.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { ROOT } from '../../tools/setup/setup.mjs'
import { leaveNothing, npmStart } from '../../tools/supervise/running.ts'
import { ACCOUNTS } from './peer.ts'
import type { Peer, Running } from './peer.ts'
import { httpLoads } from './wrk.ts'

const EMAIL = 'admin@kontor.local'
const PASSWORD = 'bench-password-of-this-run'

export const kontor: Peer = {
  name: 'Kontor',
  async start(folder) {
    const dataDir = join(folder, 'data')
    await mkdir(dataDir)
    const port = await freePort()
    const started = npmStart({
      root: ROOT,
      dataDir,
      port,
      env: { KONTOR_ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn' },
    })
    const end = async () => {
      started.process.kill('SIGTERM')
      await started.exited
      await leaveNothing(dataDir)
    }
    try {
      await started.ready
      return { ...(await loadsOn(folder, port)), end }
    } catch (error) {
      await end()
      throw error
    }
  },
}

async function loadsOn(folder: string, port: number): Promise<Omit<Running, 'end'>> {
  const api = await connectTo({ host: '127.0.0.1', port, email: EMAIL, password: PASSWORD })
  const accounts = await api.customerAccounts(ACCOUNTS)
  return httpLoads({
    folder,
    url: `http://127.0.0.1:${port}/api/bookings`,
    headers: { Authorization: `Bearer ${api.token()}`, 'Idempotency-Key': '{key}' },
    body: {
      asset: 'EUR',
      legs: [
        { account_id: '{debit}', type: 'DEBIT', quantity: '1' },
        { account_id: '{credit}', type: 'CREDIT', quantity: '1' },
      ],
    },
    accounts,
    busy: [await api.houseAccount(), accounts[0] ?? ''],
  })
}
