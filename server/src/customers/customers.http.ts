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

type CustomersApp = { db: Db; clock: Clock }

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

const tag = 'Customers'

export function customersEndpoints(app: CustomersApp, hasCommitments: HasCommitments): Endpoint[] {
  return [...readEndpoints(app), ...writeEndpoints(app), deleteEndpoint(app, hasCommitments)]
}

function readEndpoints({ db }: CustomersApp): Endpoint[] {
  const common = { tag, permission: 'customers.read', origin: 'SPECIFIED' } as const
  return [
    listEndpoint({
      ...common,
      operation_id: 'listCustomers',
      personal: true,
      tagged: 'customer',
      path: '/customers',
      summary: 'List customers',
      data: CustomerRecord,
      description: 'Without `state`, only ACTIVE customers are listed.',
      query: closed({ state: queryOneOf(CUSTOMER_STATES) }),
      list: ({ principal, query }) => ({
        select: sql`
          select ${CUSTOMER_COLUMNS}
          from customers`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          sql`state = any(${query.state ?? ['ACTIVE']})`,
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getCustomer',
      personal: true,
      path: '/customers/:customer_id',
      summary: 'One customer',
      effect: 'read',
      params: closed({ customer_id: id<CustomerId>() }),
      data: CustomerRecord,
      handle: ({ params, principal }) => customerById(db, principal.workspace, params.customer_id),
    }),
  ]
}

function writeEndpoints({ clock }: CustomersApp): Endpoint[] {
  const common = {
    tag,
    permission: 'customers.write',
    origin: 'SPECIFIED',
    path: '/customers',
    data: CustomerRecord,
    effect: 'transaction',
  } as const
  return [
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'createCustomer',
      summary: 'Create a customer and its account',
      body: CreateCustomer,
      example: EXAMPLE,
      handle: ({ body, caller }, tx) => createCustomer(caller, tx, clock, body),
    }),
    endpoint({
      ...common,
      method: 'PUT',
      operation_id: 'changeCustomer',
      summary: 'Change a customer',
      description:
        'Replaces the request fields. Refused: STALE_VERSION, DUPLICATE (foreign_id), IN_USE ' +
        '(booking_schema while executions are open), STATE_NOT_ALLOWED (deleted).',
      body: ChangeCustomer,
      example: {
        id: '01a1fc75-ea2a-7589-aa8f-000000000002',
        ...EXAMPLE,
        margin: 'PREMIUM',
        version: 1,
      },
      handle: ({ body, caller }, tx) => changeCustomer(caller, tx, clock, body),
    }),
  ]
}

function deleteEndpoint({ clock }: CustomersApp, hasCommitments: HasCommitments): Endpoint {
  return endpoint({
    method: 'DELETE',
    operation_id: 'deleteCustomer',
    path: '/customers/:customer_id',
    origin: 'SPECIFIED',
    tag,
    summary: 'Delete a customer',
    permission: 'customers.write',
    effect: 'transaction',
    description:
      'Refused (IN_USE) while the account has a balance or a hold, or while one of its quotes ' +
      'can still be accepted. The customer can still be read, with state DELETED.',
    params: closed({ customer_id: id<CustomerId>() }),
    data: closed({ id: id() }, { title: 'DeletedCustomer' }),
    handle: async ({ params, caller }, tx) => {
      await deleteCustomer(caller, tx, params.customer_id, { clock, hasCommitments })
      return { id: params.customer_id }
    },
  })
}
