import { notFound } from '../../core/errors.ts'
import type { SignInProviderId, UserId, UserIdentityId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryOneOf } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { columnIn, sql } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { readConfiguration, whyOf } from './calls.ts'
import { assertUser, linkIdentity, unlinkIdentity } from './identities.ts'
import {
  ChangeProvider,
  CreateProvider,
  IdentityRecord,
  LinkIdentity,
  PROVIDER_STATES,
  ProviderRecord,
  ProviderTest,
} from './providers.schema.ts'
import { changeProvider, createProvider, removeProvider } from './providers.ts'
import { activeProvider, IDENTITY_COLUMNS, providerColumns } from './rows.ts'

const common = { tag: 'Users', permission: 'users.write' } as const
const ofProvider = { params: closed({ sign_in_provider_id: id<SignInProviderId>() }) }

const EXAMPLE = {
  label: 'Company account',
  issuer: 'https://login.example.com/realms/staff',
  client_id: 'kontor',
  client_authentication: 'BASIC',
  scopes: [],
  roles_claim: 'groups',
  role_mapping: [
    { value: 'kontor-treasury', role: 'TREASURER' },
    { value: 'kontor-administration', role: 'ADMIN' },
  ],
  listed: true,
  creates_users: true,
  links_by_email: false,
  proves_second_factor: true,
}

export function providersEndpoints(app: AccessApp): Endpoint[] {
  return [listing(app), ...declaring(app), testing(app), ...linking(app)]
}

function listing(app: AccessApp): Endpoint {
  return listEndpoint({
    ...common,
    operation_id: 'listSignInProviders',
    path: '/sign-in-providers',
    origin: { ours: 'people sign in by their company’s own accounts' },
    summary: 'List providers of single sign-on',
    description: 'Without `state`, those that were removed are left out.',
    query: closed({ state: queryOneOf(PROVIDER_STATES) }),
    data: ProviderRecord,
    list: ({ principal, query }) => ({
      select: sql`
        select ${providerColumns(app)}
        from sign_in_providers`,
      conditions: [
        sql`workspace = ${principal.workspace}`,
        columnIn('state', query.state ?? ['ACTIVE']),
      ],
      key: { column: 'id', type: 'uuid' },
    }),
  })
}

function declaring(app: AccessApp): Endpoint[] {
  const writing = { ...common, confirmed: true, effect: 'transaction' } as const
  return [
    endpoint({
      ...writing,
      method: 'POST',
      operation_id: 'createSignInProvider',
      path: '/sign-in-providers',
      origin: { ours: 'people sign in by their company’s own accounts' },
      summary: 'Declare a provider of single sign-on',
      description:
        'OpenID Connect, by the code flow with PKCE (docs/single-sign-on.md). Enter ' +
        '`redirect_uri` of the answer at the provider. 3001 CONFLICT without ' +
        'KONTOR_CONSOLE_URL or a key file.',
      body: CreateProvider,
      example: { ...EXAMPLE, client_secret: 'as the provider shows it' },
      data: ProviderRecord,
      handle: ({ body, caller }, tx) => createProvider(caller, app, tx, body),
    }),
    endpoint({
      ...writing,
      method: 'PUT',
      operation_id: 'changeSignInProvider',
      path: '/sign-in-providers',
      origin: { ours: 'a secret ends, groups are renamed' },
      summary: 'Change a provider of single sign-on',
      description:
        'Without `client_secret` the secret stays; another issuer or client needs another one. ' +
        'Counts from the next sign-in on.',
      body: ChangeProvider,
      example: { id: '01a1fc75-ea2a-7589-aa8f-000000000041', ...EXAMPLE, version: 1 },
      data: ProviderRecord,
      handle: ({ body, caller }, tx) => changeProvider(caller, app, tx, body),
    }),
    endpoint({
      ...writing,
      ...ofProvider,
      method: 'DELETE',
      operation_id: 'removeSignInProvider',
      path: '/sign-in-providers/:sign_in_provider_id',
      origin: { ours: 'a provider is given up, or is not trusted any more' },
      summary: 'Remove a provider of single sign-on',
      description: 'The sessions that were begun by it end. Users stay.',
      data: ProviderRecord,
      handle: ({ params: { sign_in_provider_id }, caller }, tx) =>
        removeProvider(caller, app, tx, sign_in_provider_id),
    }),
  ]
}

function testing(app: AccessApp): Endpoint {
  return endpoint({
    ...common,
    ...ofProvider,
    method: 'POST',
    operation_id: 'testSignInProvider',
    path: '/sign-in-providers/:sign_in_provider_id/test',
    origin: { ours: 'a declaration is tried before anybody signs in by it' },
    summary: 'Ask a provider for its configuration',
    description:
      'Whether it can be reached and is the issuer; client and secret show at a sign-in.',
    unrecorded: 'Reads what the provider tells everybody, and changes nothing',
    data: ProviderTest,
    effect: 'venue',
    async handle({ params: { sign_in_provider_id: asked }, principal }) {
      const provider = await activeProvider(app.db, asked)
      if (provider?.workspace !== principal.workspace)
        throw notFound('sign-in provider', asked, 'sign_in_provider_id')
      try {
        const configuration = await readConfiguration(app, provider)
        const told = configuration.serverMetadata()['backchannel_logout_supported']
        return { reached: true, reason: null, back_channel_logout: told === true }
      } catch (error) {
        return { reached: false, reason: whyOf(error), back_channel_logout: false }
      }
    },
  })
}

function linking(app: AccessApp): Endpoint[] {
  const user = { user_id: id<UserId>() }
  return [
    listEndpoint({
      ...common,
      operation_id: 'listUserIdentities',
      path: '/users/:user_id/identities',
      origin: { ours: 'an administrator sees by which accounts a user signs in' },
      summary: 'List the identities of a user at providers',
      params: closed(user),
      data: IdentityRecord,
      list: async ({ principal: { workspace }, params: { user_id } }) => {
        await assertUser(app.db, workspace, user_id)
        return {
          select: sql`
            select ${IDENTITY_COLUMNS}
            from user_identities`,
          conditions: [sql`workspace = ${workspace}`, sql`user_id = ${user_id}`],
          key: { column: 'id', type: 'uuid' },
        }
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'linkUserIdentity',
      confirmed: true,
      path: '/users/:user_id/identities',
      origin: { ours: 'a user of before signs in by a provider from now on' },
      summary: 'Link a user to a person at a provider',
      description:
        'That person then signs in as this user, with the roles that the claims give. The ' +
        'security log names issuer and subject of who was refused.',
      params: closed(user),
      body: LinkIdentity,
      example: { provider_id: '01a1fc75-ea2a-7589-aa8f-000000000041', subject: '248289761001' },
      data: IdentityRecord,
      effect: 'transaction',
      handle: ({ body, params: { user_id }, caller }, tx) =>
        linkIdentity(caller, app, tx, { ...body, user_id }),
    }),
    endpoint({
      ...common,
      method: 'DELETE',
      operation_id: 'unlinkUserIdentity',
      confirmed: true,
      path: '/users/:user_id/identities/:identity_id',
      origin: { ours: 'a person has left the company of the provider' },
      summary: 'Part a user from a person at a provider',
      description: 'Ends all sessions of the user.',
      params: closed({ ...user, identity_id: id<UserIdentityId>() }),
      data: IdentityRecord,
      effect: 'transaction',
      handle: ({ params, caller }, tx) => unlinkIdentity(caller, app, tx, params),
    }),
  ]
}
