/**
 * Requests for the fuzz: mostly sensible ones, each way of being wrong now and then, from the
 * endpoints' own schemas.
 */
import { newId } from '../src/core/ids.ts'
import { MAXIMUM_BODY_BYTES } from '../src/http/index.ts'
import type { Endpoint } from '../src/http/index.ts'
import { fitting, HOSTILE, idFor, RAW, resourceOf } from './fuzz-values.ts'
import type { Pool, Random, Schema } from './fuzz-values.ts'
import { BANK_IBAN, BTC_ADDRESS, OTHER_BTC_ADDRESS } from './simulated-venues.ts'
import type { Method, Sent, Side } from './service-under-test.ts'

export type Planned = Sent & {
  /** How it was made, for the report. */
  how: string
  endpoint: Endpoint | undefined
  body?: unknown
}

export type Making = {
  random: Random
  endpoints: readonly Endpoint[]
  own: Pool
  foreign: Pool
  side: Side
  other: Side
}

/** Filters that a list cannot do without, which no schema tells. */
const NEEDED_FILTERS: Readonly<Record<string, string>> = {
  'GET /settlements/:settlement_id/available-fills': 'venue_id',
}

/**
 * What a schema alone cannot tell, so that enough of the sensible requests are accepted; may answer
 * path parameters.
 */
const FITS: Readonly<
  Record<string, (body: Record<string, unknown>, making: Making) => Record<string, string> | void>
> = {
  'POST /auth/login': (body, { side }) => {
    Object.assign(body, side.login)
  },
  'POST /auth/refresh': (body, { side }) => {
    Object.assign(body, { access_token: side.tokens.all, refresh_token: side.refresh_token })
  },
  'POST /auth/password': (body, making) => {
    // Those whose tokens are in use keep theirs.
    const user = known(making, 'user_id', (each) => String(each['email']).startsWith('person'))
    Object.assign(body, {
      email: user?.['email'] ?? 'nobody@example.com',
      old_password: FIRST_PASSWORD,
      new_password: 'another good one 17',
    })
  },
  'POST /users': (body, { random }) => {
    body['password'] = random.once(3) ? 'weak' : FIRST_PASSWORD
  },
  'PUT /users': (body) => {
    delete body['password']
  },
  'POST /bookings': (body, making) => {
    const { random, own } = making
    const quantity = random.pick(['1', '0.5', '100', '0.01', '25'])
    const house = known(making, 'account_id', (each) => each['type'] !== 'CUSTOMER')
    const from = random.once(5) ? undefined : house?.['id']
    body['legs'] = [
      { account_id: from ?? idFor(random, own, 'account_id') ?? newId(), type: 'DEBIT', quantity },
      { account_id: idFor(random, own, 'account_id') ?? newId(), type: 'CREDIT', quantity },
    ]
    delete body['value_date']
  },
  'POST /customers': people,
  'PUT /customers': people,
  'POST /accounts/matchings': matching,
  'PUT /accounts/matchings': matching,
  'POST /treasury/wallets': (body, making) => {
    const customer = known(making, 'customer_id')
    for (const name of ['venue_id', 'service_id', 'configuration']) delete body[name]
    Object.assign(body, {
      type: 'CUSTOMER',
      access_type: 'EXTERNAL',
      asset: 'BTC',
      address: making.random.pick([BTC_ADDRESS, OTHER_BTC_ADDRESS]),
      account_id: customer?.['account_id'] ?? newId(),
      customer_id: customer?.['id'] ?? newId(),
    })
  },
  'POST /treasury/wallets/routes': (body, making) => {
    const coins = (label: string) =>
      known(
        making,
        'wallet_id',
        (each) => each['asset'] === 'BTC' && (label === '' || each['label'] === label),
      )?.['id'] ?? newId()
    Object.assign(body, {
      from_wallet_id: coins('Exchange BTC'),
      to_wallet_id: coins(''),
      protocol: 'BTC',
      transfer: { from: { key: 'k' } },
    })
  },
  'POST /treasury/wallets/routes/:treasury_route_id/withdrawals': (body, making) => {
    const customer = known(making, 'customer_id', (each) => each['ignore_balance_check'] === true)
    for (const name of ['account', 'fee', 'account_id']) delete body[name]
    Object.assign(body, {
      quantity: '0.5',
      speed_level: making.random.pick(['DEFAULT', 'FAST']),
      ...(making.random.once(2) ? { account_id: customer?.['account_id'] } : {}),
    })
    const route = known(making, 'route_id', (each) => each['from_wallet_id'] !== undefined)?.['id']
    return route === undefined ? undefined : { treasury_route_id: String(route) }
  },
  'POST /treasury/withdrawals/batch/submit': (body, making) => {
    body['withdrawals'] = [known(making, 'prepare_id') ?? {}]
  },
  'POST /treasury/withdrawals/:withdrawal_id/cancel': (_body, making) =>
    withdrawalThat(making, (each) => each['state'] === 'PENDING' && each['submitted_at'] === null),
  'POST /treasury/withdrawals/:withdrawal_id/recheck': (_body, making) =>
    withdrawalThat(making, (each) => each['state'] === 'PENDING' || each['state'] === 'UNKNOWN'),
  'POST /treasury/withdrawals/:withdrawal_id/resolve': (body, making) => {
    for (const name of ['foreign_id', 'transaction_hash', 'fee']) delete body[name]
    return withdrawalThat(making, (each) => each['state'] === 'UNKNOWN')
  },
  'POST /treasury/deposits/:deposit_id/rectifications': (body, making) =>
    rectification(body, making, 'deposit_id'),
  'POST /treasury/withdrawals/:withdrawal_id/rectifications': (body, making) =>
    rectification(body, making, 'withdrawal_id'),
  'POST /venues/:venue_id/push': (_body, making) =>
    one('venue_id', known(making, 'venue_id', (each) => each['kind'] === 'CUSTODY_VAULT')?.['id']),
  'POST /settlements': (body) => {
    Object.assign(body, {
      timerange_from: Date.now() - DAY_MILLISECONDS,
      timerange_to: Date.now() + DAY_MILLISECONDS,
    })
  },
  'PATCH /settlements/:settlement_id/fills': (body, making) => {
    const settlement = settlementThat(making, ['PREPARING'])
    const fill = known(making, 'fill_id', (each) => each['settlement_id'] === settlement?.['id'])?.[
      'id'
    ]
    for (const name of Object.keys(body)) delete body[name]
    body[making.random.once(2) ? 'leave' : 'take'] = fill === undefined ? [] : [fill]
    return one('settlement_id', settlement?.['id'])
  },
  'PUT /settlements/:settlement_id/parts': (body, making) => {
    for (const name of Object.keys(body)) delete body[name]
    return one('settlement_id', settlementThat(making, ['PREPARING', 'READY'])?.['id'])
  },
  'POST /settlements/:settlement_id/cancel': (_body, making) =>
    making.random.once(4)
      ? one('settlement_id', settlementThat(making, ['PREPARING', 'READY'])?.['id'])
      : undefined,
  'POST /settlements/:settlement_id/initiate': (body, making) => {
    delete body['part_ids']
    return one('settlement_id', settlementThat(making, ['READY', 'FAILED'])?.['id'])
  },
  'POST /settlements/:settlement_id/parts/:part_id/confirm': (body, making) => {
    delete body['deposit_id']
    const settlement = settlementThat(making, ['READY', 'TRANSFERRING', 'PARTIALLY_SETTLED'])
    const open =
      (settlement?.['parts'] as Record<string, unknown>[] | undefined)?.filter(
        (part) => part['withdrawal_id'] === null,
      ) ?? []
    return open.length === 0
      ? undefined
      : {
          settlement_id: String(settlement?.['id']),
          part_id: String(making.random.pick(open)['id']),
        }
  },
  'DELETE /executions/:execution_id': (_body, making) =>
    one(
      'execution_id',
      known(making, 'execution_id', (each) => each['state'] === 'WAITING_FOR_TRIGGER')?.['id'],
    ),
  'PUT /treasury/wallets/routes/:route_id/allow': (body, making) => {
    for (const name of Object.keys(body)) delete body[name]
    return one(
      'route_id',
      known(making, 'route_id', (each) => String(each['label']).startsWith('Vault to'))?.['id'],
    )
  },
  // What is halted is mostly let go again: else nothing would be done any more.
  'PUT /desk/halts': (body, { random }) => {
    body['halted'] = random.once(8)
  },
  'PUT /accounts/:account_id/freeze': (body, { random }) => {
    body['frozen'] = random.once(8)
  },
  'POST /treasury/jobs': job,
  'PUT /treasury/jobs': job,
  'POST /price-stream/quotes': (body, making) => {
    const { random } = making
    Object.assign(body, {
      route_id: tradeRoute(making),
      customer_id: known(making, 'customer_id')?.['id'] ?? newId(),
      request_asset: random.once(20) ? 'XRP' : random.pick(['BTC', 'BTC', 'EUR']),
      request_quantity: random.pick(['0.01', '1', '50']),
    })
    delete body['margin']
  },
  'POST /executions': (body, making) => {
    const { random } = making
    const quote = random.once(2)
      ? known(making, 'quote_id', (each) => each['request_asset'] === 'BTC')
      : undefined
    const customer =
      quote?.['customer_id'] ??
      known(making, 'customer_id', (each) => each['ignore_balance_check'] === true)?.['id'] ??
      newId()
    for (const name of Object.keys(body)) delete body[name]
    const kind =
      quote !== undefined || random.once(2)
        ? { execution_type: 'MARKET' }
        : random.pick<Record<string, unknown>>([
            {
              execution_type: 'LIMIT',
              price: random.pick(['30000', '90000']),
              tif_mode: random.pick(['GTC', 'IOC', 'FOK']),
            },
            {
              execution_type: 'STOP_MARKET',
              price: '30000',
              stop_order_condition: random.pick(['STOP_LOSS', 'TAKE_PROFIT']),
            },
            { execution_type: 'MARKET', mode: 'VOLUME', volume: '1000', amount: undefined },
          ])
    Object.assign(body, {
      route_id: tradeRoute(making),
      side: random.pick(['BUY', 'SELL']),
      amount: quote?.['request_quantity'] ?? '0.01',
      customers: [{ customer_id: customer }],
      ...kind,
      ...(quote === undefined ? {} : { quote_id: quote['id'] }),
    })
  },
  'PATCH /treasury/deposits/:deposit_id/assignments': (body, making) =>
    decision(body, making, 'deposit_id'),
  'PATCH /treasury/withdrawals/:withdrawal_id/assignments': (body, making) =>
    decision(body, making, 'withdrawal_id'),
  'POST /treasury/withdrawals/:withdrawal_id/assignments': (body, making) => {
    someAssignment(body, making)
    const outside = new Set(
      (making.own.records.get('wallet_id') ?? [])
        .filter((each) => each['venue_id'] === null)
        .map((each) => each['id']),
    )
    return withdrawalThat(
      making,
      (each) =>
        each['account_id'] === null &&
        (each['origin'] === 'EXTERNAL' || outside.has(each['to_wallet_id'])) &&
        ['PENDING', 'SUCCESS'].includes(String(each['state'])),
    )
  },
  'POST /treasury/deposits/:deposit_id/assignments': someAssignment,
}

const FIRST_PASSWORD = 'correct horse battery'
const DAY_MILLISECONDS = 86_400_000

const one = (parameter: string, id: unknown): Record<string, string> | undefined =>
  typeof id === 'string' ? { [parameter]: id } : undefined
const withdrawalThat = (making: Making, fits: (record: Record<string, unknown>) => boolean) =>
  one('withdrawal_id', making.own.records.get('withdrawal_id')?.findLast(fits)?.['id'])
const settlementThat = (making: Making, states: readonly string[]) =>
  known(making, 'settlement_id', (each) => states.includes(String(each['state'])))

function known(
  { random, own }: Making,
  resource: string,
  fits: (record: Record<string, unknown>) => boolean = () => true,
): Record<string, unknown> | undefined {
  const records = (own.records.get(resource) ?? []).filter(fits)
  return records.length === 0 ? undefined : random.pick(records)
}

function matching(body: Record<string, unknown>, making: Making): void {
  const { random } = making
  const reference = random.pick([`REFERENCE ${random.below(100)}`, `R${random.below(10_000)}`])
  Object.assign(body, {
    resource_id: known(making, 'customer_id')?.['account_id'] ?? newId(),
    type: 'DESTINATION_WITH_REFERENCE',
    details: {
      asset: 'EUR',
      is_withdrawal_matching: random.once(3),
      destination_address: BANK_IBAN,
      reference,
    },
  })
}

const tradeRoute = (making: Making) =>
  known(making, 'route_id', (each) => each['symbol'] !== undefined)?.['id'] ?? newId()

function people(body: Record<string, unknown>, { random }: Making): void {
  Object.assign(body, {
    first_name: 'Alice',
    last_name: 'Example',
    company_name: 'Example AG',
    joint_name: 'A & B',
    margin: random.pick(['DEFAULT', 'PREMIUM']),
  })
  if (body['foreign_id'] !== undefined) body['foreign_id'] = `F${random.below(1_000_000)}`
}

function decision(
  body: Record<string, unknown>,
  making: Making,
  of: string,
): Record<string, string> | undefined {
  // What is still under way is not decided.
  const underway = new Set(
    (making.own.records.get(of) ?? [])
      .filter((each) => each['state'] === 'PENDING')
      .map((each) => each['id']),
  )
  const assignment = making.own.records
    .get('assignment_id')
    ?.findLast(
      (each) =>
        typeof each[of] === 'string' && each['status'] === 'PENDING' && !underway.has(each[of]),
    )
  if (assignment === undefined) return undefined
  body['id'] = assignment['id']
  return { [of]: String(assignment[of]) }
}

function rectification(
  body: Record<string, unknown>,
  making: Making,
  of: string,
): Record<string, string> | undefined {
  const assignment = known(
    making,
    'assignment_id',
    (each) => typeof each[of] === 'string' && each['status'] === 'SUCCESSFUL',
  )
  if (assignment === undefined) return undefined
  const account_id =
    known(making, 'customer_id', (each) => each['ignore_balance_check'] === true)?.['account_id'] ??
    newId()
  Object.assign(body, {
    reason: 'WRONG_ACCOUNT',
    origins: [assignment['id']],
    targets: [{ quantity: assignment['quantity'], account_id }],
  })
  return { [of]: String(assignment[of]) }
}

function job(body: Record<string, unknown>, making: Making): void {
  for (const name of ['fee', 'quantity', 'version']) delete body[name]
  const route =
    known(making, 'route_id', (each) => each['from_wallet_id'] !== undefined)?.['id'] ?? newId()
  Object.assign(body, {
    route,
    condition_type: 'SWEEPING',
    interval: 15,
    speed_level: 'DEFAULT',
    min_quantity: '0.1',
    conditions: [{ target: '3' }],
  })
}

function someAssignment(body: Record<string, unknown>, making: Making): void {
  const items = body as unknown as Record<string, unknown>[]
  items.splice(0, items.length, {
    quantity: '0.01',
    account_id:
      known(making, 'customer_id', (each) => each['ignore_balance_check'] === true)?.[
        'account_id'
      ] ?? newId(),
  })
}

const key = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}`

/** A body that the endpoint may well accept; now and then a record as it was read. */
export function sensibleBody(
  making: Making,
  endpoint: Endpoint,
  parameters: Record<string, string> = {},
): unknown {
  const { random, own } = making
  if (endpoint.body === undefined) {
    Object.assign(parameters, FITS[key(endpoint)]?.({}, making))
    return undefined
  }
  const body = fitting(random, own, endpoint.body as Schema, '')
  if (typeof body !== 'object' || body === null) return body
  const record =
    endpoint.method === 'PUT' && !endpoint.path.endsWith('/parts') && !random.once(4)
      ? known(making, resourceOf(endpoint.path))
      : undefined
  if (record !== undefined) {
    const parameter = Object.keys((endpoint.params as Schema | undefined)?.properties ?? {})[0]
    if (parameter !== undefined) parameters[parameter] = String(record['id'])
    return { ...record, ...(random.once(2) ? { label: `Renamed ${random.below(1000)}` } : {}) }
  }
  if ('id' in body)
    (body as Record<string, unknown>)['id'] =
      idFor(random, own, resourceOf(endpoint.path)) ?? newId()
  Object.assign(parameters, FITS[key(endpoint)]?.(body as Record<string, unknown>, making))
  return body
}

/**
 * The path with its parameters filled in; `replace` puts other text in the place of one of them.
 */
export function pathOf(
  making: Making,
  endpoint: Endpoint,
  { replace, given = {} }: { replace?: string; given?: Readonly<Record<string, string>> } = {},
): string {
  const { random, own } = making
  const parameters = endpoint.path.split('/').filter((part) => part.startsWith(':'))
  const replaced =
    replace === undefined || parameters.length === 0 ? undefined : random.pick(parameters)
  return `/api${endpoint.path
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return part
      if (part === replaced) return replace ?? ''
      if (given[part.slice(1)] !== undefined) return given[part.slice(1)]
      const schema = (endpoint.params as Schema | undefined)?.properties?.[part.slice(1)] ?? {}
      return encodeURIComponent(String(fitting(random, own, schema, part.slice(1))))
    })
    .join('/')}`
}

/** The path with nothing but the filters that it cannot do without. */
export function bare(endpoint: Endpoint, url: string): string {
  const [path = '', query = ''] = url.split('?')
  const name = NEEDED_FILTERS[key(endpoint)]
  return name === undefined ? path : `${path}?${name}=${new URLSearchParams(query).get(name)}`
}

function queryOf(making: Making, endpoint: Endpoint): URLSearchParams {
  const { random, own } = making
  const query = new URLSearchParams()
  for (const [name, schema] of Object.entries(
    (endpoint.query as Schema | undefined)?.properties ?? {},
  )) {
    const required =
      (endpoint.query as Schema).required?.includes(name) === true ||
      NEEDED_FILTERS[key(endpoint)] === name
    if (required || random.once(4)) query.set(name, String(fitting(random, own, schema, name)))
  }
  if (endpoint.effect === 'list' && !random.once(12))
    query.set('limit', String(1 + random.below(10)))
  return query
}

/** A request that asks for what the endpoint offers. */
export function sensible(
  making: Making,
  endpoint: Endpoint,
  role: keyof Side['tokens'] = 'all',
): Planned {
  const query = queryOf(making, endpoint).toString()
  const given: Record<string, string> = {}
  const body = sensibleBody(making, endpoint, given)
  return {
    how: 'sensible',
    endpoint,
    method: endpoint.method,
    url: pathOf(making, endpoint, { given }) + (query === '' ? '' : `?${query}`),
    body,
    address: address(making.random),
    headers: {
      ...(endpoint.permission === 'public'
        ? {}
        : { authorization: `Bearer ${making.side.tokens[role]}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(endpoint.method === 'GET' || making.random.once(3) ? {} : { 'idempotency-key': newId() }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  }
}

/** Limits by address are not what is looked for here. */
const address = (random: Random) =>
  `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`

type Spoil = { weight: number; spoil(planned: Planned, making: Making): void }

const SPOILS: Readonly<Record<string, Spoil>> = {
  'another value in the body': { weight: 40, spoil: spoilBody },
  'another value in the path': {
    weight: 10,
    spoil: (planned, making) => {
      if (planned.endpoint !== undefined)
        planned.url = pathOf(making, planned.endpoint, { replace: pathText(making) })
    },
  },
  'another value in the query': { weight: 10, spoil: spoilQuery },
  'a body that is no JSON': { weight: 8, spoil: spoilText },
  'a token that opens nothing': { weight: 6, spoil: spoilToken },
  'odd headers': { weight: 6, spoil: spoilHeaders },
  'an odd address': { weight: 6, spoil: spoilUrl },
  'a method that is not there': {
    weight: 2,
    spoil: (planned, { random }) => {
      planned.method = random.pick<Method>([
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'HEAD',
        'OPTIONS',
      ])
    },
  },
  'a role that may not': {
    weight: 4,
    spoil: (planned, { random, side }) => {
      planned.headers['authorization'] =
        `Bearer ${side.tokens[random.pick(['READER', 'TRADER', 'ADMIN'] as const)]}`
    },
  },
}
const WEIGHTED = Object.entries(SPOILS).flatMap(([how, { weight }]) =>
  Array.from({ length: weight }, () => how),
)

/** Turns a sensible request into one that is wrong in one way. */
export function spoiled(making: Making, endpoint: Endpoint): Planned {
  const planned = sensible(making, endpoint)
  const how = making.random.pick(WEIGHTED)
  planned.how = how
  SPOILS[how]?.spoil(planned, making)
  return planned
}

function write(planned: Planned, body: unknown): void {
  planned.body = body
  planned.payload = JSON.stringify(body)?.replaceAll(RAW, '$1')
  planned.headers['content-type'] = 'application/json'
}

type Slot = { holder: Record<string, unknown> | unknown[]; name: string | number }

function slots(value: unknown): Slot[] {
  if (typeof value !== 'object' || value === null) return []
  const names: (string | number)[] = Array.isArray(value)
    ? value.map((_, index) => index)
    : Object.keys(value)
  return names.flatMap((name) => [
    { holder: value as Slot['holder'], name },
    ...slots((value as Record<string, unknown>)[name as string]),
  ])
}

function spoilBody(planned: Planned, making: Making): void {
  const { random, foreign } = making
  if (planned.body === undefined) return write(planned, random.pick(HOSTILE))
  const body: unknown = structuredClone(planned.body)
  const places = slots(body)
  const slot = places.length === 0 ? undefined : random.pick(places)
  if (slot === undefined || random.once(25)) return write(planned, random.pick(HOSTILE))
  const holder = slot.holder as Record<string, unknown>
  const name = slot.name as string
  const was = holder[name]
  switch (random.below(8)) {
    case 0:
      if (Array.isArray(slot.holder)) slot.holder.splice(slot.name as number, 1)
      else delete holder[name]
      break
    case 1:
      if (!Array.isArray(slot.holder))
        holder[
          random.pick([
            'unknown',
            '',
            'id ',
            'workspace_id',
            'a.b',
            'x'.repeat(300),
            'é',
            'constructor',
            name.toUpperCase(),
          ])
        ] = random.pick(HOSTILE)
      break
    case 2:
      holder[name] = [was]
      break
    case 3:
      holder[name] = Number.isFinite(Number(was)) ? Number(was) : 1.5
      break
    case 4:
      holder[name] = idFor(random, foreign, String(name)) ?? newId()
      break
    case 5:
      if (Array.isArray(slot.holder)) {
        for (let more = random.pick([1, 2, 300]); more > 0; more -= 1)
          slot.holder.push(structuredClone(was))
      } else holder[name] = { [name]: was }
      break
    default:
      holder[name] = random.pick(HOSTILE)
  }
  write(planned, body)
}

function pathText({ random, foreign }: Making): string {
  return random.pick([
    () => newId(),
    () => idFor(random, foreign, 'id') ?? newId(),
    () => encodeURIComponent(wellFormed(random.pick(HOSTILE))),
    () => '',
    () => '%00',
    () => '%zz',
    () => '%ff%fe',
    () => 'x'.repeat(250),
    () => '..',
    () => '%2e%2e%2f',
    () => '*',
    () => ':id',
    () => newId().toUpperCase(),
    () => `${newId()}?x=1`,
    () => `${newId()};v=1`,
  ])()
}

const wellFormed = (value: unknown) =>
  String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()

function spoilQuery(planned: Planned, { random, endpoints }: Making): void {
  const [path = '', query = ''] = planned.url.split('?')
  const names = [
    ...Object.keys((planned.endpoint?.query as Schema | undefined)?.properties ?? {}),
    'limit',
    'cursor',
    'unknown',
    random.pick(endpoints).path.slice(1),
  ]
  const name = random.pick(names)
  const value = encodeURIComponent(
    wellFormed(
      random.pick([
        ...HOSTILE,
        'AAAA',
        Buffer.from(newId()).toString('base64url'),
        '10001',
        '0',
        '-5',
        '1.0',
      ]),
    ),
  )
  const added = random.pick([
    `${name}=${value}`,
    `${name}=${value}&${name}=${value}`,
    `${name}[]=${value}`,
    `${name}[a]=${value}`,
    name,
    `${name}=`,
    `=${value}`,
    `${name}=%`,
    `${name}=%00`,
    `${name}=%ed%a0%80`,
    `&&&`,
    `${name}=${value};x=1`,
    `__proto__=1`,
    `${name}=1&`.repeat(200),
  ])
  planned.url = `${path}?${query === '' || random.once(2) ? '' : `${query}&`}${added}`
}

function spoilText(planned: Planned, { random }: Making): void {
  const good = typeof planned.payload === 'string' ? planned.payload : '{"a":1}'
  const deep = (open: string, close: string, count: number) =>
    open.repeat(count) + close.repeat(count)
  planned.headers['content-type'] = random.once(10)
    ? random.pick([
        'text/plain',
        'application/xml',
        'application/json; charset=latin1',
        'application/jsonx',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        '/',
        'a',
      ])
    : 'application/json'
  planned.payload = random.pick<() => string | Buffer>([
    () => good.slice(0, random.below(good.length) + 1),
    () => `${good}${good}`,
    () => `\uFEFF${good}`,
    () => '',
    () => ' ',
    () => 'null',
    () => '"text"',
    () => '17',
    () => '[]',
    () => '{',
    () => "{'a':1}",
    () => '{"a":1,}',
    () => `/* x */${good}`,
    () => Buffer.from([0xff, 0xfe, 0x7b]),
    () => Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xc3, 0x28])]),
    () => Buffer.from(good, 'utf16le'),
    () => good.replaceAll(':', '\0:'),
    () => deep('[', ']', 200),
    () => deep('{"a":', '}', 5000).replace('}', '1}'),
    () => `{"__proto__":{"id":1},${good.slice(1)}`,
    () => `{"constructor":{"prototype":{"x":1}},${good.slice(1)}`,
    () => `${good.slice(0, -1)},${good.slice(1)}`,
    () => good.replaceAll(/"[^"]*"/g, (text) => (random.once(4) ? '"\\ud800"' : text)),
    () => good.replaceAll(/"[^"]*"/g, (text) => (random.once(4) ? '"\\u0000"' : text)),
    () => good.replaceAll(/"[^"]*"/g, (text) => (random.once(4) ? 'NaN' : text)),
    () => `{"a":"${'x'.repeat(random.once(20) ? MAXIMUM_BODY_BYTES : 3000)}"}`,
  ])()
}

function spoilToken(planned: Planned, { random, side }: Making): void {
  const good = side.tokens.all
  const [head = '', body = '', signature = ''] = good.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString(
    'base64url',
  )
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  const given = random.pick([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    good,
    `bearer  ${good}`,
    `Basic ${good}`,
    `Bearer ${side.dead.ended}`,
    `Bearer ${side.dead.expired}`,
    `Bearer ${side.dead.id}`,
    `Bearer ${side.refresh_token}`,
    `Bearer ${head}.${forged}.${signature}`,
    `Bearer ${none}.${body}.`,
    `Bearer ${head}.${body}.${signature.slice(1)}`,
    `Bearer ${good}x`,
    'Bearer a.b.c',
    `Bearer ${'x'.repeat(9000)}`,
    'Bearer null',
    `Bearer ${good}, Bearer ${good}`,
  ])
  if (given === undefined) delete planned.headers['authorization']
  else planned.headers['authorization'] = given
}

function spoilHeaders(planned: Planned, { random }: Making): void {
  const [name, value] = random.pick<[string, string]>([
    ['idempotency-key', ''],
    ['idempotency-key', 'x'.repeat(129)],
    ['idempotency-key', 'two words'],
    ['idempotency-key', 'schlüssel'],
    ['idempotency-key', "'; drop table"],
    ['idempotency-key', `fixed-${random.below(20)}`],
    ['accept', 'text/csv'],
    ['accept', 'application/xml'],
    ['accept', '*/*;q=0'],
    ['accept', 'text/csv, application/json'],
    ['accept-encoding', 'gzip, br'],
    ['accept-encoding', 'x'.repeat(500)],
    ['content-type', 'application/json; charset=utf-8'],
    ['content-type', 'APPLICATION/JSON'],
    ['content-type', 'text/plain'],
    ['content-type', 'application/json; charset=utf-16'],
    ['x-http-method-override', 'DELETE'],
    ['x-forwarded-for', '1.2.3.4'],
    ['x-request-id', '../../x'],
    ['origin', 'https://evil.example'],
    ['host', 'evil.example'],
    ['if-match', '"x"'],
    ['if-none-match', '*'],
    ['range', 'bytes=0-1'],
    ['expect', '200-ok'],
    ['connection', 'close, authorization'],
    ['accept-version', '9.9.9'],
    ['x-many', 'a'.repeat(8000)],
  ])
  planned.headers[name] = value
}

function spoilUrl(planned: Planned, { random }: Making): void {
  const [path = '', query = ''] = planned.url.split('?')
  const other = random.pick([
    `${path}/`,
    path.replace('/api', '/api/'),
    path.replace('/api', ''),
    path.toUpperCase(),
    `${path}%2f`,
    `${path}/x`,
    `${path}%00`,
    `${path}%`,
    `${path}/%e0%a4%a`,
    `/api/../api${path.slice(4)}`,
    `${path}.json`,
    `${path};a=b`,
    `${path}#x`,
    '/api',
    '/api/',
    '/',
    '//',
    '/api/nowhere',
    `/api/${'x'.repeat(3000)}`,
    '/api/openapi.json',
    '/api/docs',
    '/healthz',
    '/readyz',
    '/metrics',
    '/.env',
    '/api/*',
    '/api/%',
    '/api/accounts/%',
    encodeURI(`${path}/日本`),
    path.replaceAll('/', '//'),
    path.replaceAll('/', '\\'),
  ])
  planned.url = query === '' || random.once(2) ? other : `${other}?${query}`
}
