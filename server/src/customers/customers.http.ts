import type { CustomerId } from '../core/ids.ts'
import type { Clock } from '../core/clock.ts'
import { closed, endpoint, id, listEndpoint, queryOneOf } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import {
  changeCustomer,
  createCustomer,
  customerById,
  CUSTOMER_COLUMNS,
  deleteCustomer,
} from './customers.ts'
import type { HasCommitments } from './customers.ts'
import {
  ChangeCustomer,
  CreateCustomer,
  CUSTOMER_STATES,
  CustomerRecord,
} from './customers.schema.ts'

export type CustomersApp = { db: Db; clock: Clock }

const EXAMPLE = {
  type: 'RETAIL',
  label: 'Jonas Keller',
  first_name: 'Jonas',
  last_name: 'Keller',
  margin: 'DEFAULT',
  booking_schema: 'SIMPLE',
  ignore_balance_check: false,
  ignore_margin: false,
}

export function customersEndpoints(app: CustomersApp, hasCommitments: HasCommitments): Endpoint[] {
  const tag = 'Customers'
  return [
    listEndpoint({
      path: '/customers',
      origin: 'SPECIFIED',
      tag,
      summary: 'List customers',
      permission: 'customers.read',
      data: CustomerRecord,
      description: 'Without `state` those that are ACTIVE.',
      query: closed({ state: queryOneOf(CUSTOMER_STATES) }),
      list: ({ principal, query }) => ({
        select: sql`select ${CUSTOMER_COLUMNS} from customers`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          sql`state = any(${query.state ?? ['ACTIVE']})`,
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/customers/:customer_id',
      origin: 'SPECIFIED',
      tag,
      summary: 'One customer',
      permission: 'customers.read',
      effect: 'read',
      params: closed({ customer_id: id<CustomerId>() }),
      data: CustomerRecord,
      handle: ({ params, principal }) =>
        customerById(app.db, principal.workspace, params.customer_id),
    }),
    endpoint({
      method: 'POST',
      path: '/customers',
      origin: 'SPECIFIED',
      tag,
      summary: 'Create a customer and its account',
      permission: 'customers.write',
      effect: 'transaction',
      body: CreateCustomer,
      example: EXAMPLE,
      data: CustomerRecord,
      handle: ({ body, caller }, tx) => createCustomer(caller, tx, app.clock, body),
    }),
    endpoint({
      method: 'PUT',
      path: '/customers',
      origin: 'SPECIFIED',
      tag,
      summary: 'Change a customer',
      permission: 'customers.write',
      effect: 'transaction',
      description:
        'Replaces the request fields. Refused: STALE_VERSION, DUPLICATE (foreign_id), IN_USE (booking_schema while executions are open), STATE_NOT_ALLOWED (deleted).',
      body: ChangeCustomer,
      example: {
        id: '01a1fc75-ea2a-7589-aa8f-000000000002',
        ...EXAMPLE,
        margin: 'PREMIUM',
        version: 1,
      },
      data: CustomerRecord,
      handle: ({ body, caller }, tx) => changeCustomer(caller, tx, app.clock, body),
    }),
    endpoint({
      method: 'DELETE',
      path: '/customers/:customer_id',
      origin: 'SPECIFIED',
      tag,
      summary: 'Delete a customer',
      permission: 'customers.write',
      effect: 'transaction',
      description:
        'Refused (IN_USE) while the account has a balance or something blocked, or a quote of his can still be accepted. The customer stays readable with state DELETED.',
      params: closed({ customer_id: id<CustomerId>() }),
      data: closed({ id: id() }, { title: 'DeletedCustomer' }),
      handle: async ({ params, caller }, tx) => {
        await deleteCustomer(caller, tx, params.customer_id, {
          clock: app.clock,
          promised: hasCommitments,
        })
        return { id: params.customer_id }
      },
    }),
  ]
}
