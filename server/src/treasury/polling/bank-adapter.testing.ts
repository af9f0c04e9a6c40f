/** For tests: the bank's adapter of production, which exchanges files with the simulated bank. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { OPEN_EVERY_DAY } from '../../venues/bank/sandbox-bank.testing.ts'
import { adapterFactories } from '../../venues/index.ts'
import { HELD_LEASE } from '../../venues/lease/lease.testing.ts'
import type { SandboxProcess } from '../../venues/sandbox-process.testing.ts'
import type { Workplace } from '../testing/venue.fixture.ts'

type Sharing = (payments: number, work: () => Promise<unknown>) => Promise<void>

/** The adapter of production stands in for the fake bank. */
export async function connectAdapter(
  { bank }: Workplace,
  sandbox: SandboxProcess,
): Promise<{ iban: string; sharing: Sharing }> {
  const credentials = JSON.parse(await sandbox.credential('bank.json')) as {
    iban: string
    bic: string
    name: string
  }
  const log = {
    error: (_details: object, message: string) => {
      throw new Error(message)
    },
  }
  const { BANK } = adapterFactories(log, HELD_LEASE)
  assert.ok(BANK)
  const at = (name: string) => join(sandbox.dir, 'bank/kontor', name)
  const options = {
    ...credentials,
    ...OPEN_EVERY_DAY,
    currency: 'EUR',
    outbox_dir: at('outbox'),
    inbox_dir: at('inbox'),
    foreign_fee: '12',
  }
  const venue = await BANK(options)
  assert.ok(venue.transfers)
  // The sandbox goes by the real time, which is not that of the workplace.
  const transfers = { ...venue.transfers, executionDate: () => null }
  bank.real = { ...venue, transfers }
  return {
    iban: credentials.iban,
    /** Meanwhile payments wait until there are so many for one file. */
    async sharing(payments, work) {
      const terms = { payments_per_file: String(payments), collect_ms: '2000' }
      const other = await BANK({ ...options, ...terms })
      const { send } = transfers
      transfers.send = other.transfers?.send ?? assert.fail()
      try {
        await work()
      } finally {
        transfers.send = send
        await other.close()
      }
    },
  }
}
