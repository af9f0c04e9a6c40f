/** For the tests of single sign-on: a workspace, a provider declared in it, and browsers. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { sql } from '../../store/sql.ts'
import type { Answer } from '../../http/testing.ts'
import { assertRefused, openAccessWorld } from '../access.testing.ts'
import { CLIENT, ProviderBrowser, startProvider } from './provider.testing.ts'
import type { Lies, Person } from './provider.testing.ts'
import { signInRulesFrom } from './providers.ts'
import type { SignInProviderId } from '../../core/ids.ts'
import type { Provider } from './providers.schema.ts'

const HERE = { KONTOR_SIGN_IN_NETWORKS: '127.0.0.1/32', KONTOR_SIGN_IN_PLAIN: 'on' }

const LOGOUT_ADDRESS = 'https://kontor.example/api/auth/providers/company/logout'

type Signed = { access_token: string; email: string; session_id: string }

export const DECLARED = {
  label: 'Company account',
  client_id: CLIENT.client_id,
  client_secret: CLIENT.client_secret,
  roles_claim: 'groups',
  role_mapping: [
    { value: 'desk', role: 'TRADER' },
    { value: 'desk', role: 'READER' },
    { value: 'office', role: 'ADMIN' },
  ],
  scopes: ['groups'],
  listed: true,
  creates_users: true,
}

type World = Awaited<ReturnType<typeof openAccessWorld>>

export async function openSignInWorld() {
  const world = await openAccessWorld({ wrapped: true, signInTargets: signInRulesFrom(HERE) })
  const there = await declaredIn(world)
  const browsers = browsersOf(world, there.company)
  return { ...world, ...there, ...browsers, ...readingsOf(world, browsers.signIn) }
}

/** A provider, and its declaration here. */
async function declaredIn({ call, tokenWith }: World) {
  const people = new Map<string, Person>()
  const lies: Lies = {}
  const provider = await startProvider({
    people,
    lies,
    client: {
      backchannel_logout_uri: LOGOUT_ADDRESS,
      backchannel_logout_session_required: true,
    },
    // What the provider calls is this process, which listens nowhere.
    fetch: async (_address: unknown, { body }: { body: URLSearchParams }) =>
      new Response(null, { status: (await logOut(company.id, body.toString())).status }),
  })
  after(() => provider.close())
  const admin = await tokenWith('ADMIN')

  async function declare(more: object = {}): Promise<Provider> {
    const answer = await call<Provider>('POST', '/sign-in-providers', {
      token: admin,
      body: { ...DECLARED, issuer: provider.issuer, ...more },
    })
    assert.equal(answer.status, 200, answer.text)
    provider.enter(answer.data.redirect_uri)
    return answer.data
  }

  /** What stands there, changed. */
  function changeOf(declared: Provider, more: object, token = admin): Promise<Answer<Provider>> {
    const { client_secret: _, ...kept } = DECLARED
    const { issuer, client_authentication, links_by_email, proves_second_factor } = declared
    const { id, label, listed } = declared
    const flags = { links_by_email, proves_second_factor, listed }
    const body = { ...kept, id, label, issuer, client_authentication, ...flags, ...more }
    return call<Provider>('PUT', '/sign-in-providers', { token, body })
  }

  const logOut = (id: string, form: string): Promise<Answer<{ ended: number }>> =>
    call('POST', `/auth/providers/${id}/logout`, {
      body: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const company = await declare()
  return { admin, changeOf, company, declare, lies, logOut, people, provider }
}

const cookieOf = (answer: Answer<unknown>): string =>
  String(answer.headers['set-cookie']).split(';')[0] ?? ''

/** People who sign in. */
function browsersOf({ call }: World, company: Provider) {
  let browsers = 0
  /** Each from another network address. */
  const from = () => {
    browsers += 1
    return `10.8.${browsers >> 8}.${browsers & 255}`
  }

  async function begin(id = company.id, query = '') {
    const path = `/auth/console/providers/${id}${query}`
    const answer = await call<{ address: string }>('POST', path, { address: from() })
    assert.equal(answer.status, 200, answer.text)
    return { address: answer.data.address, cookie: cookieOf(answer), answer }
  }

  const finish = (answer: string, cookie: string, provider_id = company.id) =>
    call<Signed>('POST', '/auth/console/provider', {
      body: { provider_id, answer },
      headers: { cookie },
      address: from(),
    })

  async function signIn(account: string, id = company.id): Promise<Answer<Signed>> {
    const { address, cookie } = await begin(id)
    return finish(await new ProviderBrowser().signIn(address, account), cookie, id)
  }

  async function signedIn(account: string, id = company.id): Promise<Signed> {
    const answer = await signIn(account, id)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  const isLive = async (token: string): Promise<boolean> =>
    (await call('GET', '/probe', { token })).status === 200

  return { begin, finish, from, isLive, signedIn, signIn }
}

/** What is stored of it. */
function readingsOf(
  { access, db, workspace }: World,
  signIn: ReturnType<typeof browsersOf>['signIn'],
) {
  async function refused(account: string, reason: string, id?: SignInProviderId): Promise<string> {
    const answer = await signIn(account, id)
    assertRefused(answer, 'BadRequest', 'SIGN_IN_REFUSED')
    assert.equal((await lastRefusal()).reason, reason, answer.text)
    return answer.error_description ?? ''
  }

  /** What the log tells of the last sign-in that failed. */
  async function lastRefusal(): Promise<{ reason?: string; why?: string }> {
    await access.security.write()
    const [last] = await db.query<{ details: { reason?: string; why?: string } }>(sql`
      select details
      from security_log
      where workspace = ${workspace}
        and kind = 'SIGN_IN_FAILED'
      order by id desc
      limit 1`)
    return last?.details ?? {}
  }

  const rolesOf = async (email: string): Promise<string[] | undefined> =>
    (
      await db.query<{ roles: string[] }>(sql`
      select roles
      from users
      where email = ${email}`)
    )[0]?.roles.toSorted()

  const entriesOf = (email: string) =>
    db.query<{ kind: string; actor: string }>(sql`
      select kind, actor
      from security_log
      where user_id = (
          select id
          from users
          where email = ${email}
        )
        and workspace = ${workspace}
      order by id`)

  return { entriesOf, lastRefusal, refused, rolesOf }
}
