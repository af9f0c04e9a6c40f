/** A customer who opens an account, wires money to it, and gets mail. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { balanceText, control, until, walletAt } from './context.ts'
import type { Context } from './context.ts'

export type DayCustomer = { id: string; account_id: string; label: string; reference: string }

export async function createCustomer({ kontor, say, mark }: Context): Promise<DayCustomer> {
  const label = `Daniela Day ${mark}`
  const customer = await kontor.post('/customers', {
    body: {
      type: 'RETAIL',
      first_name: 'Daniela',
      last_name: 'Day',
      label,
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
      notification_recipients: [mailOf(mark)],
    },
  })
  const account = mustExist(
    (await kontor.get('/accounts')).find((account) => account.customer_id === customer.id),
    'the customer has an account',
  )
  const bank = await walletAt(kontor, 'Sandbox Bank', 'EUR')
  const reference = `DAY-${mark}`
  await kontor.post('/accounts/matchings', {
    body: {
      resource_id: account.id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: false,
        destination_address: bank.address,
        reference,
      },
    },
  })
  say(`${label} opens an account; wires to ${bank.address} that carry ${reference} are hers`)
  return { id: customer.id, account_id: account.id, label, reference }
}

const mailOf = (mark: string) => `daniela.${mark.toLowerCase()}@customer.example`

export async function receiveMoney(
  { kontor, say, sandbox_url }: Context,
  customer: DayCustomer,
  quantity: string,
): Promise<void> {
  const bank = await walletAt(kontor, 'Sandbox Bank', 'EUR')
  await control(sandbox_url, 'POST', '/control/bank/wire', {
    from_name: 'Daniela Day',
    to_iban: bank.address,
    quantity,
    currency: 'EUR',
    reference: `Savings ${customer.reference}`,
  })
  say(`She wires ${quantity} EUR from her bank`)
  const deposit = await until('the wire is booked to her', async () => {
    const found = (await kontor.get('/treasury/deposits', { query: { state: 'SUCCESSFUL' } })).find(
      (deposit) => deposit.reference_text?.includes(customer.reference) === true,
    )
    return found
  })
  const [assignment] = await kontor.get('/treasury/deposits/{deposit_id}/assignments', {
    params: { deposit_id: deposit.id },
  })
  if (assignment?.account_id !== customer.account_id) throw new Error('the deposit is not hers')
  say(
    `Deposit ${deposit.id}: ${deposit.quantity} EUR from ` +
      `${deposit.counterparty?.name ?? deposit.source_address}, assigned to her by ` +
      `matching ${assignment.matching_id}`,
  )
  say(`Balance: ${await balanceText(kontor, customer.account_id)}`)
}

/** The wire, two executions and the withdrawal: one mail each. */
export async function readMail({ say, sandbox_url, mark }: Context): Promise<void> {
  const mails = await until('she has mail of everything', async () => {
    const found = await control<{ subject: string }[]>(
      sandbox_url,
      'GET',
      `/control/mailbox?to=${mailOf(mark)}`,
    )
    return found.length >= 4 ? found : undefined
  })
  say(
    `Her mail: ${mails
      .map((mail) => mail.subject)
      .toReversed()
      .join(' · ')}`,
  )
  if (mails.length > 4) throw new Error('she was written to more than once about the same')
}
