/** Accounts in other currencies than the euro, at the sandbox's bank, against its books. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import type { Transfers, TransferOrder, Venue } from '../contract.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { openBankAt, orderTo, type BankAccounts } from './sandbox-bank.testing.ts'
import { mustBeValid } from './schemas.testing.ts'

let sandbox: SandboxProcess
before(async () => {
  sandbox = await startSandbox()
  await sandbox.control('POST', 'clock', { pace: 0 })
})
after(() => sandbox.stop())

const accounts = () => sandbox.control<BankAccounts>('GET', 'bank/accounts')

const advance = async (...steps: number[]) => {
  for (const advance_ms of steps) await sandbox.control('POST', 'clock', { advance_ms })
}

const ours = async (currency: string) =>
  (await accounts()).accounts.find(
    (account) => account.owner === 'kontor' && account.currency === currency,
  ) ?? assert.fail(currency)

const agrees = (bank: Venue, currency: string) =>
  until('the balance agrees', async () => {
    const [balance] = await bank.balances()
    const { quantity } = await ours(currency)
    return balance?.total != null && format(balance.total) === quantity ? balance : undefined
  })

async function isPaid(transfers: Transfers, currency: string): Promise<void> {
  await sandbox.control('POST', 'bank/wire', {
    from_name: `Payer in ${currency}`,
    to_iban: (await ours(currency)).iban,
    quantity: '1000.01',
    currency,
    reference: 'invoice 9',
  })
  await advance(10_000, 1)
  await until('the arrival is reported', async () => {
    const { movements } = await transfers.incoming(null)
    return movements.find(
      ({ asset, quantity, state }) =>
        asset === currency && format(quantity) === '1000.01' && state === 'FINAL',
    )
  })
}

async function pays(transfers: Transfers, order: TransferOrder): Promise<void> {
  assert.equal((await transfers.send(order)).outcome, 'accepted')
  const reference = order.external_id.replaceAll('-', '')
  await until('the bank has it', async () =>
    (await sandbox.received('bank', 'payment', reference)) === 1 ? true : undefined,
  )
  await advance(30_000, 1)
  await until('it is booked', async () => {
    const found = await transfers.find({ ...order, foreign_id: null, submitted_at: 0, claimed: [] })
    return found.lookup === 'found' && found.report.state === 'SUCCESS' ? true : undefined
  })
}

for (const { currency, place, destination, bank: named } of [
  {
    currency: 'USD',
    place: 'usd',
    destination: '000987654321',
    bank: { aba: '026009593', credit_institution: 'Other Bank' },
  },
  {
    currency: 'CHF',
    place: 'chf',
    destination: 'CH9300762011623852957',
    bank: { bic: 'POFICHBEXXX' },
  },
])
  test(`an account in ${currency} pays, is paid, and agrees with its statements`, async () => {
    const directory = join(sandbox.dir, `bank/kontor-${place}`)
    const problems: string[] = []
    const bank = await openBankAt(sandbox, problems, directory, `bank-${place}.json`)
    try {
      const { transfers } = bank
      assert.ok(transfers)
      const { totals } = await accounts()
      const { asset, wallet } = await agrees(bank, currency)
      assert.deepEqual({ asset, wallet }, { asset: currency, wallet: (await ours(currency)).iban })
      await isPaid(transfers, currency)
      await pays(transfers, {
        ...orderTo(destination, '250.5'),
        asset: currency,
        protocol: 'FOREIGN',
        transfer: { from: {}, to: { name: 'Payee', reference: 'invoice 7', ...named } },
      })
      await sandbox.control('POST', 'bank/statement')
      await agrees(bank, currency)
      assert.deepEqual((await accounts()).totals, totals, 'no money made or lost')
      assert.deepEqual(problems, [])
      for (const folder of ['inbox', 'outbox/done']) await mustBeValid(join(directory, folder))
    } finally {
      await bank.close()
    }
  })
