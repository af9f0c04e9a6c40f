/**
 * The people of the demo world, created once after the first start: two customers with matchings,
 * and one wire that nothing matches. Started by the supervisor with DEMO_URL, DEMO_EMAIL,
 * DEMO_PASSWORD, DEMO_SANDBOX_URL.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../client/src/index.ts'
import type { Client } from '../../client/src/index.ts'

const PATIENCE_MILLISECONDS = 120_000
const LOOK_MILLISECONDS = 500
const UNMATCHED = 'INVOICE 4711'

type Story = {
  foreign_id: string
  mail: string
  customer: Parameters<typeof customerBody>[0]
  reference: string
}

const PEOPLE: Story[] = [
  {
    foreign_id: 'demo-alpine',
    mail: 'office@alpine.example',
    customer: {
      type: 'INSTITUTION',
      label: 'Alpine Family Office',
      company_name: 'Alpine Family Office AG',
      margin: 'PREMIUM',
    },
    reference: 'ALPINE',
  },
  {
    foreign_id: 'demo-jonas',
    mail: 'jonas.keller@customer.example',
    customer: {
      type: 'RETAIL',
      label: 'Jonas Keller',
      first_name: 'Jonas',
      last_name: 'Keller',
      margin: 'DEFAULT',
    },
    reference: 'KELLER',
  },
]

type Person = { label: string; margin: string } & (
  | { type: 'INSTITUTION'; company_name: string }
  | { type: 'RETAIL'; first_name: string; last_name: string }
)

function customerBody(person: Person, foreign_id: string, mail: string) {
  return {
    ...person,
    foreign_id,
    notification_recipients: [mail],
    booking_schema: 'ADVANCED' as const,
    ignore_balance_check: false,
    ignore_margin: false,
  }
}

async function createDemoCustomers(kontor: Client, sandbox_url: string): Promise<void> {
  const bank = await connectedBank(kontor)
  const known = await kontor.get('/customers')
  for (const { foreign_id, mail, customer, reference } of PEOPLE) {
    const { id } =
      known.find((someone) => someone.foreign_id === foreign_id) ??
      (await kontor.post('/customers', { body: customerBody(customer, foreign_id, mail) }))
    const account = (await kontor.get('/accounts')).find((account) => account.customer_id === id)
    if (account === undefined) throw new Error(`customer ${id} has no account`)
    const [matched] = await kontor.get('/accounts/matchings', { query: { account_id: account.id } })
    if (matched !== undefined) continue
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
  }
  if (
    (await kontor.get('/treasury/deposits')).some((deposit) => deposit.reference_text === UNMATCHED)
  )
    return
  const answer = await fetch(`${sandbox_url}/control/bank/wire`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      from_name: 'Somebody Unknown',
      to_iban: bank.address,
      quantity: '1250.5',
      currency: 'EUR',
      reference: UNMATCHED,
    }),
  })
  if (!answer.ok) throw new Error(`the wire was refused: ${answer.status} ${await answer.text()}`)
}

/** A wire before the bank is connected would be part of its opening balance. */
async function connectedBank(kontor: Client) {
  const limit = Date.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const banks = (await kontor.get('/venues'))
      .filter((venue) => venue.kind === 'BANK' && venue.state === 'CONNECTED')
      .map(({ id }) => id)
    const wallet = (await kontor.get('/treasury/wallets')).find(
      ({ asset, venue_id }) => asset === 'EUR' && venue_id !== null && banks.includes(venue_id),
    )
    if (wallet !== undefined) return wallet
    if (Date.now() > limit) throw new Error('the bank was not connected in time')
    await pause(LOOK_MILLISECONDS)
  }
}

if (import.meta.main) {
  const { DEMO_URL = '', DEMO_EMAIL = '', DEMO_PASSWORD = '', DEMO_SANDBOX_URL = '' } = process.env
  await createDemoCustomers(
    await connect({ base_url: DEMO_URL, email: DEMO_EMAIL, password: DEMO_PASSWORD }),
    DEMO_SANDBOX_URL,
  )
}
