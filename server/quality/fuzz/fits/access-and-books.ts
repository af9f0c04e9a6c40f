/** Logins, users, customers, bookings, matchings and halts. */
import { newId } from '../../../src/core/ids.ts'
import { BANK_IBAN } from '../../simulated/config.ts'
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { generousCustomer, known, parameterOf } from './fit.ts'
import type { Fits } from './fit.ts'

/** Long ago, so that what is booked in the meantime is not refused. */
const dayAfter = (day: unknown): string =>
  new Date(Date.parse(typeof day === 'string' ? day : '2001-01-01') + 86_400_000)
    .toISOString()
    .slice(0, 10)

/** Lists show the newest first, so what was learned last may be an old one. */
const lastClosed = ({ own }: Author): JsonRecord | undefined =>
  (own.records.get('period_id') ?? [])
    .filter(({ state }) => state === 'CLOSED')
    .toSorted((a, b) => String(a['last_day']).localeCompare(String(b['last_day'])))
    .at(-1)

export const ACCESS_AND_BOOKS: Fits = {
  'POST /auth/login': (body, { side }) => {
    Object.assign(body, side.login)
  },
  'POST /auth/console/login': (body, { side }) => {
    Object.assign(body, side.login)
  },
  'POST /auth/refresh': (body, { side }) => {
    Object.assign(body, { access_token: side.tokens.all, refresh_token: side.refresh_token })
  },
  'POST /auth/password': (body, author) => {
    // Those whose tokens are in use keep theirs.
    const user = known(author, 'user_id', (record) => String(record['email']).startsWith('person'))
    Object.assign(body, {
      email: user?.['email'] ?? 'nobody@example.com',
      old_password: FIRST_PASSWORD,
      new_password: 'another good one 17',
    })
  },
  'POST /auth/factors/totp': (body, { side }) => {
    body['password'] = side.login.password
  },
  'POST /auth/factors/passkeys': (body, { side }) => {
    body['password'] = side.login.password
  },
  'POST /auth/passkeys': (body, { side }) => {
    Object.assign(body, side.login)
  },
  'POST /users': (body, { draws }) => {
    body['password'] = draws.once(3) ? 'weak' : FIRST_PASSWORD
  },
  'PUT /users': (body) => {
    delete body['password']
  },
  'POST /periods': (body, author) => {
    body['last_day'] = dayAfter(lastClosed(author)?.['last_day'])
  },
  'POST /periods/:period_id/reopen': (_body, author) =>
    parameterOf('period_id', lastClosed(author)?.['id']),
  'POST /market-data/daily-prices': (body, { draws }) => {
    const base_asset = draws.pick(['BTC', 'ETH'])
    Object.assign(body, { day: '2026-01-01', base_asset, quote_asset: 'EUR', price: '12.5' })
  },
  'POST /auth/api-keys': apiKey,
  'PUT /auth/api-keys/:api_key_id': apiKey,
  'PUT /policy': (body, { draws }) => {
    // One that was accepted with something else in it has made another version.
    Object.assign(body, { rules: [LARGE], otherwise: 'ALLOW', version: draws.below(3) })
  },
  'POST /policy/try': (body) => {
    Object.assign(body, { rules: [LARGE], otherwise: 'ALLOW' })
  },
  'POST /views': (body, { draws }) => {
    Object.assign(body, {
      list: '/treasury/deposits',
      query: 'state=UNASSIGNED',
      name: `View ${draws.below(1_000)}`,
    })
  },
  'GET /settings/:key': (_body, author) => keyOfSetting(author),
  'GET /settings/:key/history': (_body, author) => keyOfSetting(author),
  'PUT /settings/:key': (body, author) => {
    // Others decide what the rest of the requests may do.
    const setting = known(author, 'setting_id', ({ key }) => HARMLESS.has(String(key)))
    for (const name of Object.keys(body)) delete body[name]
    body['value'] = author.draws.once(2) ? setting?.['example'] : setting?.['value']
    return setting === undefined ? undefined : { key: String(setting['key']) }
  },
  'POST /bookings': (body, author) => {
    const { draws, own } = author
    const quantity = draws.pick(['1', '0.5', '100', '0.01', '25'])
    const house = known(author, 'account_id', (record) => record['type'] !== 'CUSTOMER')
    const from = draws.once(5) ? undefined : house?.['id']
    body['legs'] = [
      { account_id: from ?? draws.draw(own.idFor('account_id')), type: 'DEBIT', quantity },
      { account_id: draws.draw(own.idFor('account_id')), type: 'CREDIT', quantity },
    ]
    delete body['value_date']
  },
  'POST /book-transfers': (body, author) => {
    const giver = generousCustomer(author)
    Object.assign(body, {
      from_account_id: giver?.['account_id'] ?? newId(),
      to_account_id:
        known(author, 'customer_id', (record) => record['id'] !== giver?.['id'])?.['account_id'] ??
        newId(),
      asset: 'EUR',
      quantity: author.draws.pick(['1', '0.5', '25']),
    })
  },
  'POST /customers': people,
  'PUT /customers': people,
  'POST /accounts/matchings': matching,
  'PUT /accounts/matchings': matching,
  // What is halted is mostly let go again: otherwise nothing would be done any more.
  'PUT /desk/halts': (body, { draws }) => {
    body['halted'] = draws.once(8)
  },
  'PUT /accounts/:account_id/freeze': (body, { draws }) => {
    body['frozen'] = draws.once(8)
  },
}

const MONTH_MILLISECONDS = 30 * 86_400_000
const FIRST_PASSWORD = 'correct horse battery'

function apiKey(body: JsonRecord, author: Author): void {
  const route = known(author, 'route_id')?.['id']
  Object.assign(body, {
    label: `Program ${author.draws.below(1_000)}`,
    networks: author.draws.pick([[], ['10.0.0.0/8', '::1']]),
    limits: {
      assets: [{ asset: 'EUR', per_day: '1000' }],
      ...(route === undefined ? {} : { routes: [route] }),
    },
    expires_at: Date.now() + MONTH_MILLISECONDS,
  })
}

function matching(body: JsonRecord, author: Author): void {
  const { draws } = author
  const reference = draws.pick([`REFERENCE ${draws.below(100)}`, `R${draws.below(10_000)}`])
  Object.assign(body, {
    resource_id: known(author, 'customer_id')?.['account_id'] ?? newId(),
    type: 'DESTINATION_WITH_REFERENCE',
    details: {
      asset: 'EUR',
      is_withdrawal_matching: draws.once(3),
      destination_address: BANK_IBAN,
      reference,
    },
  })
}

function people(body: JsonRecord, { draws }: Author): void {
  Object.assign(body, {
    first_name: 'Alice',
    last_name: 'Example',
    company_name: 'Example AG',
    joint_name: 'A & B',
    margin: draws.pick(['DEFAULT', 'PREMIUM']),
    // Who can pay anything trades and transfers.
    ignore_balance_check: draws.once(2),
  })
  if (body['foreign_id'] !== undefined) body['foreign_id'] = `F${draws.below(1_000_000)}`
  if (body['time_zone'] !== undefined)
    body['time_zone'] = draws.pick(['Europe/Berlin', 'Asia/Tokyo', 'UTC'])
}

const HARMLESS: ReadonlySet<string> = new Set(['margins', 'default_risk', 'job_fee_share'])

const keyOfSetting = (author: Author) => {
  const setting = known(author, 'setting_id')
  return setting === undefined ? undefined : { key: encodeURIComponent(String(setting['key'])) }
}

/** A rule that lets everything else through. */
const LARGE = {
  name: 'nothing is as large',
  when: { commands: ['WITHDRAWAL'], assets: ['EUR'], amount_at_least: '1000000000' },
  verdict: 'DENY',
}
