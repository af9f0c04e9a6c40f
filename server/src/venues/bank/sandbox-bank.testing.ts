/** For tests: the adapter over the sandbox's bank, what the bank does, and its books. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { Lookup, Transfers, TransferOrder, TransferReport, Venue } from '../contract.ts'
import type { OddRecords, SurpriseStage } from '../contract-suite/trial.testing.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { FaultKind, SandboxProcess } from '../sandbox-process.testing.ts'
import { openBank } from './bank.ts'
import { bankConfig } from './config.ts'
import { mustBeValid } from './schemas.testing.ts'

type BankAccount = {
  iban: string
  name: string
  owner: string
  currency: string
  quantity: string
}
export type BankAccounts = {
  accounts: BankAccount[]
  total: string
  totals: Record<string, string>
}

export const orderTo = (iban: string, quantity = '1.01'): TransferOrder => ({
  external_id: newId(),
  asset: 'EUR',
  protocol: 'SEPA',
  quantity: decimal(quantity),
  speed_level: 'DEFAULT',
  fee: 0n,
  source_wallet: null,
  destination_address: iban,
  tag: null,
  transfer: { from: {}, to: { name: 'Bob Example', reference: 'invoice 7' } },
  recipient_name: null,
})

/** The bank writes so from now on, until what is answered is called. */
const write = async (sandbox: SandboxProcess, habits: object): Promise<() => Promise<unknown>> => {
  await sandbox.control('POST', 'bank/habits', habits)
  return () => sandbox.control('DELETE', 'bank/habits')
}

/** Each notification has a debit of another currency beside the entry that it is about. */
export const oddEntries = (sandbox: SandboxProcess): OddRecords => ({
  lists: ['outgoing'],
  begin: () => write(sandbox, { other_currency: true }),
})

export const bankSurprises = (
  sandbox: SandboxProcess,
  wire: () => string | undefined,
): SurpriseStage => ({
  recall: () => sandbox.control('POST', 'bank/reverse', { wire_id: wire() }),
  otherAmount: () => write(sandbox, { booked_amount: '0.5' }),
  entries: {
    unnamed: () => write(sandbox, { references: 'NONREF' }),
    toldAgain: () => write(sandbox, { notifications: 'AGAIN' }),
    statement: () => sandbox.control('POST', 'bank/statement', {}),
    total: async () => {
      const { accounts } = await sandbox.control<BankAccounts>('GET', 'bank/accounts')
      const ours = accounts.find(({ name, currency }) => name === 'Kontor' && currency === 'EUR')
      return decimal(ours?.quantity ?? assert.fail('our account'))
    },
  },
})

/** As the sandbox's bank, on any day on which a test runs. */
export const OPEN_EVERY_DAY = { calendar: 'LISTED', weekend_days: 'NONE' }

/** `problems` takes what the adapter reports. */
export async function openBankAt(
  sandbox: SandboxProcess,
  problems: string[],
  directory = join(sandbox.dir, 'bank/kontor'),
  credential = 'bank.json',
): Promise<Venue> {
  const credentials = JSON.parse(await sandbox.credential(credential)) as Record<string, string>
  return openBank(
    bankConfig({
      ...credentials,
      ...OPEN_EVERY_DAY,
      outbox_dir: join(directory, 'outbox'),
      inbox_dir: join(directory, 'inbox'),
    }),
    (problem) => {
      problems.push(problem)
    },
  )
}

type Opens = (sandbox: SandboxProcess, problems: string[]) => Promise<Venue>

export async function openSandboxBank(
  problems: string[],
  opens: Opens = openBankAt,
): Promise<SandboxBank> {
  const sandbox = await startSandbox()
  try {
    // Time goes on only when the test says so: no state is missed, however slow the machine.
    await sandbox.control('POST', 'clock', { pace: 0 })
    const world = new SandboxBank(sandbox, problems, opens)
    await world.open()
    return world
  } catch (error) {
    await sandbox.stop()
    throw error
  }
}

export class SandboxBank {
  readonly sandbox: SandboxProcess
  readonly #problems: string[]
  readonly #opens: Opens
  #bank: Venue | undefined

  constructor(sandbox: SandboxProcess, problems: string[], opens: Opens) {
    this.sandbox = sandbox
    this.#problems = problems
    this.#opens = opens
  }

  /** Our side, also again after it was closed. */
  async open(): Promise<void> {
    this.#bank = await this.#opens(this.sandbox, this.#problems)
  }

  get bank(): Venue {
    return this.#bank ?? assert.fail('the bank is not open')
  }

  get transfers(): Transfers {
    return this.bank.transfers ?? assert.fail('a bank transfers')
  }

  accounts(): Promise<BankAccounts> {
    return this.sandbox.control<BankAccounts>('GET', 'bank/accounts')
  }

  async account(name: string): Promise<BankAccount> {
    const { accounts } = await this.accounts()
    return accounts.find((account) => account.name === name) ?? assert.fail(name)
  }

  async advance(advance_ms: number): Promise<void> {
    await this.sandbox.control('POST', 'clock', { advance_ms })
  }

  /** Every step of a wire, its return included. */
  async settle(): Promise<void> {
    for (const step of [3000, 10_000, 5000, 1]) await this.advance(step)
  }

  fault(operation: string, kind: FaultKind, delay_ms = 0): Promise<void> {
    return this.sandbox.fault('bank', operation, kind, { delay_ms })
  }

  received({ external_id }: TransferOrder): Promise<number> {
    return this.sandbox.received('bank', 'payment', external_id.replaceAll('-', ''))
  }

  /** As when it was sent long ago, and no other payment is taken for it. */
  lookUp(order: TransferOrder): Promise<Lookup<TransferReport>> {
    return this.transfers.find({ ...order, foreign_id: null, submitted_at: 0, claimed: [] })
  }

  reaches(order: TransferOrder, state: string, sub_state?: string): Promise<TransferReport> {
    return until(`${state} ${sub_state ?? ''}`, async () => {
      const found = await this.lookUp(order)
      const report = found.lookup === 'found' ? found.report : undefined
      return report?.state === state && (sub_state === undefined || report.sub_state === sub_state)
        ? report
        : undefined
    })
  }

  /** Our books of the account against the bank's. */
  agrees(): Promise<true> {
    return until('the balance agrees', async () => {
      const [ours] = await this.bank.balances()
      return ours?.total !== null &&
        ours !== undefined &&
        format(ours.total) === (await this.account('Kontor')).quantity
        ? true
        : undefined
    })
  }

  /** Time goes on until all are paid; then the bank has each once, and our books agree. */
  async arePaidOnce(orders: readonly TransferOrder[]): Promise<void> {
    for (const order of orders) await this.reaches(order, 'PENDING', 'ACCP')
    await this.settle()
    for (const order of orders) {
      await this.reaches(order, 'SUCCESS')
      assert.equal(await this.received(order), 1)
    }
    await this.agrees()
  }

  async close(): Promise<void> {
    try {
      await this.bank.close()
    } finally {
      await stopBank(this.sandbox)
    }
  }
}

/** Fails when a file that either side has written is not valid by its ISO schema. */
export async function stopBank(sandbox: SandboxProcess): Promise<void> {
  const directory = join(sandbox.dir, 'bank/kontor')
  try {
    for (const folder of ['inbox', 'outbox', 'outbox/done'])
      await mustBeValid(join(directory, folder))
  } finally {
    await sandbox.stop()
  }
}
