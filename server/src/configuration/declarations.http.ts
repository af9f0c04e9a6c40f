import type { Clock } from '../core/clock.ts'
import type { TargetRules } from '../core/targets.ts'
import { closed, endpoint, listEndpoint, Type } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import { listDeclarations, readDeclaration } from './declaration-records.ts'
import { DECLARATION_CHANGE_COLUMNS } from './declarations.ts'
import type { DeclarationChange } from './declarations.ts'
import {
  DeclarationParams,
  DeclarationRecord,
  NamedDeclarationChange,
  NamedVenueSecret,
  PutDeclaration,
  PutVenueSecret,
  SecretParams,
} from './declarations.schema.ts'
import { withNamesOf } from './named-changes.ts'
import { putDeclaration, removeDeclaration } from './put-declaration.ts'
import { listVenueSecrets, putVenueSecret } from './venue-secrets.ts'

const MAXIMUM_DECLARATIONS = 10_000
const common = { tag: 'Declarations', permission: 'declarations.read' } as const

type DeclarationsApp = {
  db: Db
  clock: Clock
  wrapping: WrappingKey | undefined
  /** Where venues that are declared over the API may lie. */
  venueTargets: TargetRules
  /** Where banks have folders for which nobody names any. */
  bankFolders: string | undefined
}

export const declarationsEndpoints = (app: DeclarationsApp): Endpoint[] => [
  ...readEndpoints(app),
  historyEndpoint(app),
  ...writeEndpoints(app),
  ...secretsEndpoints(app),
]

function readEndpoints({ db }: DeclarationsApp): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'listDeclarations',
      path: '/declarations',
      origin: { ours: 'people see what is connected, and who said so' },
      summary: 'What is declared of venues, assets and price routes',
      description:
        'Each with its version, who changed it last, and `drift` where the configuration file ' +
        'says something else than the record, which counts.',
      effect: 'read',
      data: Type.Array(DeclarationRecord, { maxItems: MAXIMUM_DECLARATIONS }),
      handle: ({ principal }) => listDeclarations(db, principal.workspace),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getDeclaration',
      path: '/declarations/:key',
      origin: { ours: 'one of them' },
      summary: 'One declaration',
      description: 'Also of what is no longer declared: then `declaration` is null.',
      effect: 'read',
      params: DeclarationParams,
      data: DeclarationRecord,
      handle: ({ params, principal }) => readDeclaration(db, principal.workspace, params.key),
    }),
  ]
}

function historyEndpoint({ db }: DeclarationsApp): Endpoint {
  return listEndpoint({
    ...common,
    operation_id: 'listDeclarationChanges',
    path: '/declarations/:key/history',
    origin: { ours: 'auditors see what was declared, and who changed it' },
    summary: 'The history of a declaration',
    description: 'Every change with what was declared before and after it, newest first.',
    params: DeclarationParams,
    data: NamedDeclarationChange,
    async list({ params: { key }, principal: { workspace } }) {
      await readDeclaration(db, workspace, key)
      return {
        select: sql`
          select ${DECLARATION_CHANGE_COLUMNS}
          from declaration_changes`,
        conditions: [sql`workspace = ${workspace}`, sql`key = ${key}`],
        key: { column: 'id', type: 'uuid' },
        enrich: (rows: DeclarationChange[]) => withNamesOf(db, workspace, rows),
      }
    },
  })
}

function writeEndpoints({
  clock,
  venueTargets: rules,
  bankFolders: banks,
}: DeclarationsApp): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'PUT',
      operation_id: 'putDeclaration',
      confirmed: true,
      path: '/declarations/:key',
      origin: { ours: 'people add and change venues, assets and price routes without a restart' },
      summary: 'Declare a venue, an asset or a price route',
      description:
        'Adds it, or changes it; checked as `npm run configure` checks the whole. The running ' +
        'service goes on with it. Each kind has a permission of its own: 1003 without ' +
        '`venues.write`, `assets.write` or `trading.routes.write`. Files, variables and folders ' +
        'of the machine may only be those that the configuration file names: secrets are ' +
        '`{"stored": "<name>"}` and written by `PUT /venues/:venue_id/secrets/:name`. A bank ' +
        'that is declared without folders gets its own, below KONTOR_BANK_FOLDERS: `folder`. ' +
        'Addresses must be public, unless the operator allows others. To take what the file ' +
        "says, put the drift's `file`; to keep the record, put it with `keep_against_file`.",
      params: DeclarationParams,
      body: PutDeclaration,
      example: {
        declaration: {
          label: 'Kraken',
          kind: 'EXCHANGE',
          options: { exchange: 'kraken' },
          secrets: { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } },
        },
      },
      data: DeclarationRecord,
      effect: 'transaction',
      handle: ({ params: { key }, body, caller, principal: { permissions } }, tx) =>
        putDeclaration(caller, { tx, clock, rules, banks, permissions }, key, body),
    }),
    endpoint({
      ...common,
      method: 'DELETE',
      operation_id: 'removeDeclaration',
      confirmed: true,
      path: '/declarations/:key',
      origin: { ours: 'a venue or a price route is no longer used' },
      summary: 'Remove a venue or a price route',
      description:
        'The venue is disabled, or the price route switched off; what was booked stays. 3001 ' +
        'CONFLICT for an asset, and for what the configuration file names.',
      params: DeclarationParams,
      data: DeclarationRecord,
      effect: 'transaction',
      handle: ({ params: { key }, caller, principal: { permissions } }, tx) =>
        removeDeclaration(caller, { tx, clock, rules, banks, permissions }, key),
    }),
  ]
}

function secretsEndpoints(app: DeclarationsApp): Endpoint[] {
  const { db, clock, wrapping } = app
  return [
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'listVenueSecrets',
      path: '/venues/:venue_id/secrets',
      origin: { ours: 'people see which secrets are stored, and since when' },
      summary: 'The stored secrets of a venue',
      description: 'Their names, and who wrote each and when. Never a secret itself.',
      effect: 'read',
      params: closed({ venue_id: SecretParams.properties.venue_id }),
      data: Type.Array(NamedVenueSecret),
      handle: ({ params, principal }) =>
        listVenueSecrets({ db, wrapping }, principal.workspace, params.venue_id),
    }),
    endpoint({
      ...common,
      method: 'PUT',
      operation_id: 'putVenueSecret',
      confirmed: true,
      path: '/venues/:venue_id/secrets/:name',
      origin: { ours: 'credentials are exchanged without a file and without a restart' },
      permission: 'venues.secrets.write',
      summary: 'Write a secret of a venue',
      description:
        'It is stored wrapped by the key in the key file, used within seconds, and shown ' +
        'by no answer. It is sent to the address that the venue has now and to no other: a ' +
        'venue that gets another address needs its secrets anew. 3001 CONFLICT where the ' +
        'operator has no key file.',
      params: SecretParams,
      body: PutVenueSecret,
      example: { value: 'the secret itself' },
      data: NamedVenueSecret,
      effect: 'transaction',
      handle: ({ params, body, caller }, tx) =>
        putVenueSecret(caller, { tx, clock, wrapping }, { ...params, ...body }),
    }),
  ]
}
