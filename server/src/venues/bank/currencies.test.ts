/** Accounts in other currencies than the euro, at the sandbox's bank, against its books. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
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

for (const { currency, place, destination, transfer } of [
  {
    currency: 'USD',
    place: 'usd',
    destination: '000987654321',
    transfer: { aba: '026009593', credit_institution: 'Other Bank' },
  },
  {
    currency: 'CHF',
    place: 'chf',
    destination: 'CH9300762011623852957',
    transfer: { bic: 'POFICHBEXXX' },
  },
])
  test(`an account in ${currency} pays, is paid, and agrees with its statements`, async () => {
    const directory = join(sandbox.dir, `bank/kontor-${place}`)
    const problems: string[] = []
    const bank = await openBankAt(sandbox, problems, directory, `bank-${place}.json`)
    try {
      const { transfers } = bank
      assert.ok(transfers)
      const ours = async () =>
        (await accounts()).accounts.find(
          (account) => account.owner === 'kontor' && account.currency === currency,
        ) ?? assert.fail(currency)
      const agrees = () =>
        until('the balance agrees', async () => {
          const [balance] = await bank.balances()
          return balance?.total != null && format(balance.total) === (await ours()).quantity
            ? balance
            : undefined
        })
      const { totals } = await accounts()
      assert.deepEqual(
        { asset: (await agrees()).asset, wallet: (await agrees()).wallet },
        { asset: currency, wallet: (await ours()).iban },
      )
      // Somebody at the number exists: the payment arrives there and does not come back.
      await sandbox.control('POST', 'bank/wire', {
        from_name: `Payer in ${currency}`,
        to_iban: (await ours()).iban,
        quantity: '1000.01',
        currency,
        reference: 'invoice 9',
      })
      await advance(10_000, 1)
      await until('it is notified', async () => {
        const { movements } = await transfers.incoming(null)
        return movements.some(
          ({ asset, quantity, state }) =>
            asset === currency && format(quantity) === '1000.01' && state === 'FINAL',
        )
          ? true
          : undefined
      })
      const order = {
        ...orderTo(destination, '250.5'),
        asset: currency,
        protocol: 'FOREIGN',
        quantity: decimal('250.5'),
        transfer: { from: {}, to: { name: 'Payee', reference: 'invoice 7', ...transfer } },
      }
      assert.equal((await transfers.send(order)).outcome, 'accepted')
      const reaches = (state: string) =>
        until(state, async () => {
          const found = await transfers.find({
            ...order,
            foreign_id: null,
            submitted_at: 0,
            claimed: [],
          })
          return found.lookup === 'found' && found.report.state === state ? true : undefined
        })
      await until('it is accepted', async () =>
        (await sandbox.received('bank', 'payment', order.external_id.replaceAll('-', ''))) === 1
          ? true
          : undefined,
      )
      await advance(30_000, 1)
      await reaches('SUCCESS')
      await sandbox.control('POST', 'bank/statement')
      await agrees()
      assert.deepEqual((await accounts()).totals, totals, 'no money made or lost')
      assert.deepEqual(problems, [])
      for (const folder of ['inbox', 'outbox/done']) await mustBeValid(join(directory, folder))
    } finally {
      await bank.close()
    }
  })
