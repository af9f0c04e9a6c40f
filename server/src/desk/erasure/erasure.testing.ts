/** For tests: rows in which every text of a customer is a mark that can be looked for. */
import type pg from 'pg'
import { newId } from '../../core/ids.ts'
import type { AccountId, CustomerId, WorkspaceId } from '../../core/ids.ts'
import { TABLES } from './tables.ts'

type Column = { table_name: string; column_name: string; data_type: string; is_nullable: string }

type Owner = { workspace: WorkspaceId; id: CustomerId; account_id: AccountId }

type Fields = Readonly<Record<string, unknown>>

export class MarkedRows {
  readonly #owner: pg.Client
  readonly #columns: readonly Column[]

  private constructor(owner: pg.Client, columns: readonly Column[]) {
    this.#owner = owner
    this.#columns = columns
  }

  static async open(owner: pg.Client): Promise<MarkedRows> {
    const { rows } = await owner.query<Column>(`
      select table_name, column_name, data_type, is_nullable
      from information_schema.columns
      join pg_class on relname = table_name
        and relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p')
        and not relispartition
      where table_schema = 'public'
      order by table_name, column_name`)
    return new MarkedRows(owner, rows)
  }

  /** Columns that may hold text, by table; tables without any have none. */
  texts(): Map<string, string[]> {
    const tables = Map.groupBy(this.#columns, (column) => column.table_name)
    return new Map(
      [...tables].map(([table, columns]) => [
        table,
        columns
          .filter(({ data_type }) => ['text', 'jsonb', 'bytea', 'ARRAY'].includes(data_type))
          .map(({ column_name }) => column_name),
      ]),
    )
  }

  /** Bytes are read as text. */
  #textOf(table: string, column: string): string {
    const isBytes = this.#columns.some(
      ({ table_name, column_name, data_type }) =>
        table_name === table && column_name === column && data_type === 'bytea',
    )
    return isBytes ? `encode(${column}, 'escape')` : `${column}::text`
  }

  /** Where the mark stands. */
  async placesOf(mark: string): Promise<string[]> {
    const places: string[] = []
    for (const [table, columns] of this.texts())
      for (const column of columns) {
        const { rowCount } = await this.#owner.query(
          `
            select
            from ${table}
            where position($1 in ${this.#textOf(table, column)}) > 0
            limit 1`,
          [mark],
        )
        if (rowCount !== 0) places.push(`${table}.${column}`)
      }
    return places
  }

  /** A row with these fields, the mark in its texts of customers, and something elsewhere. */
  async add(table: string, mark: string, fields: Fields): Promise<string> {
    const id = newId()
    const personal = TABLES[table]?.customers ?? {}
    const row = Object.fromEntries(
      this.#columns
        .filter(({ table_name }) => table_name === table)
        .flatMap((column): [string, unknown][] => {
          const { column_name: name } = column
          if (name in fields) return [[name, fields[name]]]
          if (name === 'id') return [[name, id]]
          if (name in personal) return [[name, anything(column, mark)]]
          return column.is_nullable === 'YES' ? [] : [[name, anything(column, 'X')]]
        }),
    )
    await this.#owner.query(
      `
        insert into ${table}
        select *
        from jsonb_populate_record(null::${table}, $1)`,
      [JSON.stringify(row)],
    )
    return String(fields['id'] ?? id)
  }

  /** One of each record that a customer has. */
  async addAll(owner: Owner, mark: string): Promise<Records> {
    const { workspace, id: customer_id, account_id } = owner
    const place = { workspace, asset: 'EUR', venue_id: newId(), service_id: newId() }
    const wallet = { ...place, account_id, state: 'ACTIVE' }
    const from_wallet_id = await this.add('wallets', 'house', {
      ...wallet,
      type: 'VENUE',
      access_type: 'INTERNAL',
      address: 'ours',
    })
    const to_wallet_id = await this.add('wallets', mark, {
      ...wallet,
      venue_id: null,
      service_id: null,
      customer_id,
      type: 'CUSTOMER',
      access_type: 'EXTERNAL',
    })
    const route_id = await this.add('treasury_routes', mark, {
      workspace,
      from_wallet_id,
      to_wallet_id,
      allowlist_state: 'APPROVED',
      state: 'ACTIVE',
    })
    await this.add('matchings', mark, {
      workspace,
      state: 'ACTIVE',
      resource_id: account_id,
      type: 'SOURCE_WITH_REFERENCE',
    })
    const withdrawal_id = newId()
    await this.add('withdrawals', mark, {
      ...place,
      ...SENT,
      id: withdrawal_id,
      external_id: withdrawal_id,
      from_wallet_id,
      to_wallet_id,
      account_id,
    })
    const deposit_id = await this.add('deposits', mark, {
      ...place,
      ...ARRIVED,
      foreign_id: `D${withdrawal_id}`,
    })
    const assigned = { workspace, account_id, customer_id, state: 'SUCCESSFUL', quantity: '1' }
    await this.add('assignments', mark, { ...assigned, withdrawal_id, source: 'ROUTE' })
    await this.add('assignments', mark, { ...assigned, deposit_id, source: 'MANUAL' })
    await this.add('rectifications', mark, {
      workspace,
      deposit_id,
      state: 'BOOKED',
      reason: 'OTHER',
    })
    const ordered = { workspace, account_id, from_wallet_id, to_wallet_id, route_id }
    await this.add('payments', mark, {
      ...ordered,
      state: 'CANCELED',
      quantity: '1',
      speed_level: 'DEFAULT',
    })
    await this.#addPrepared({ workspace, withdrawal_id, of: [{ account_id }, { route_id }] }, mark)
    await this.#addSetAside({ ...place, foreign_id: `D${withdrawal_id}` }, mark)
    await this.#addExecution(owner, mark)
    await this.add('mails', mark, { workspace, customer_id, state: 'SENT' })
    for (const record_id of [customer_id, deposit_id, withdrawal_id])
      await this.note(place, record_id, mark)
    return { withdrawal_id, deposit_id, to_wallet_id }
  }

  async #addScreened(of: { workspace: WorkspaceId; record_id: string }, mark: string) {
    const found = { ...of, record_kind: 'WITHDRAWAL', basis: '[]', matches: '[]' }
    await this.add('screening_cases', mark, { ...found, state: 'REFUSED', quantity: '1' })
    await this.add('screenings', mark, { ...found, outcome: 'HIT' })
    for (const other of ['ivms101_2020', 'ivms101_2023'])
      await this.add('travel_rule_data', mark, {
        ...of,
        record_kind: 'WITHDRAWAL',
        [other]: null,
      })
  }

  /** Whatever people may note on a record. */
  async note(of: { workspace: WorkspaceId; kind?: string }, record_id: string, mark: string) {
    const { workspace, kind = 'deposit' } = of
    const on = { workspace, kind, record_id, deleted_at: null }
    await this.add('comments', mark, on)
    await this.add('attachments', mark, { ...on, size: 1 })
    await this.add('record_tags', mark, on)
  }

  /** One that was submitted, and one for each payer or route that never was. */
  async #addPrepared(
    {
      workspace,
      withdrawal_id,
      of,
    }: { workspace: WorkspaceId; withdrawal_id: string; of: readonly object[] },
    mark: string,
  ) {
    await this.#addScreened({ workspace, record_id: withdrawal_id }, mark)
    await this.add('batch_requests', mark, { workspace, withdrawal_id, state: 'SUBMITTED' })
    const { stakes } = jsonOf('request', mark) as { stakes: object[] }
    for (const payer of of)
      await this.add('batch_requests', mark, {
        workspace,
        state: 'EXPIRED',
        request: { stakes: stakes.map((payment) => ({ ...payment, ...payer })) },
      })
  }

  async #addSetAside(place: { workspace: WorkspaceId; foreign_id: string }, mark: string) {
    const fields = { ...place, state: 'DISMISSED', kind: 'TRANSFER', direction: 'IN' }
    const item_id = await this.add('set_aside_items', mark, fields)
    await this.add('set_aside_likenesses', mark, { ...place, item_id })
  }

  async #addExecution({ workspace, id: customer_id }: Owner, mark: string): Promise<void> {
    const trade = { workspace, side: 'BUY', quantity: '1', amount: '1', state: 'DONE' }
    const route_id = await this.add('price_stream_routes', mark, {
      workspace,
      key: newId(),
      risk_quantile: '0.5',
      min_amount: '1',
      max_amount: '1',
      amount_step: '1',
      price_step: '1',
    })
    const execution_id = await this.add('executions', mark, {
      ...trade,
      route_id,
      execution_type: 'MARKET',
      mode: 'AMOUNT',
    })
    await this.add('execution_customers', mark, {
      ...trade,
      execution_id,
      customer_id,
      booking_schema: 'SIMPLE',
    })
    await this.add('execution_orders', mark, {
      ...trade,
      execution_id,
      type: 'MARKET',
      tif_mode: 'IOC',
      state: 'FILLED',
      client_order_id: newId(),
    })
  }
}

type Records = { withdrawal_id: string; deposit_id: string; to_wallet_id: string }

const SENT = {
  policy_version: 0,
  state: 'SUCCESS',
  origin: 'BATCH',
  quantity: '1',
  fee_borne_by: 'HOUSE',
  speed_level: 'DEFAULT',
  outputs: 1,
  resolved_by: 'X',
  resolved_at: 1,
  review_decision: 'RELEASE',
  review_decided_by: 'X',
  review_decided_at: 1,
  former_transactions: [],
}

const ARRIVED = {
  state: 'SUCCESSFUL',
  quantity: '1',
  assignable_quantity: '1',
  assigned_quantity: '1',
}

function anything({ column_name: name, data_type }: Column, mark: string): unknown {
  if (data_type === 'bytea') return mark
  if (data_type === 'text') return `${mark} ${name}`
  if (data_type === 'ARRAY') return mark === 'X' ? [] : [mark]
  if (data_type === 'jsonb') return mark === 'X' ? {} : jsonOf(name, mark)
  if (data_type === 'uuid') return newId()
  return data_type === 'boolean' ? false : 0
}

function jsonOf(name: string, mark: string): unknown {
  const texts = { note: mark, purpose: mark, client_ref: mark, destination: mark }
  const payment = { quantity: '1', account_id: null, ...texts }
  if (name === 'stakes') return [payment]
  return name === 'request' ? { stakes: [payment] } : { words: { of: mark, nothing: null } }
}
