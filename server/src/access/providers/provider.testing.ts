/**
 * For tests: a provider of OpenID Connect (`oidc-provider`, which is certified), at a port of this
 * machine. Its login page has one field: whoever is typed there has signed in.
 */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import type { JWTPayload } from 'jose'
import OidcProvider from 'oidc-provider'

export const CLIENT = { client_id: 'kontor', client_secret: 'the secret of the client of Kontor' }

export type Person = Readonly<Record<string, unknown>> & { email?: string; groups?: string[] }

export type Lies = {
  /** Published in place of the keys that sign. */
  keys?: object
  /** The ID token in place of what the provider would say. */
  id_token?: string
  /** Done once a code has come, before it is answered. */
  meanwhile?: () => Promise<unknown>
}

type Options = {
  /** By the name that is typed, which is the subject. */
  people: Map<string, Person>
  client?: object
  lies?: Lies
  /** Of what the provider calls by itself. */
  fetch?: (address: unknown, asked: { body: URLSearchParams }) => Promise<Response>
}

export async function startProvider(options: Options) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const provider = new OidcProvider(issuer, configurationOf(options))
  const entered = new Set<string>()
  provider.Client.prototype.redirectUriAllowed = (uri) => entered.has(uri)
  const callback = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const lie = lieAt(request.url, options.lies)
    if (lie !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(lie))
      return
    }
    const asked = request.url?.startsWith('/login/') === true
    const answer = async (): Promise<void> => {
      if (request.url === '/token') await options.lies?.meanwhile?.()
      await (asked ? showLogin(provider, request, response) : callback(request, response))
    }
    answer().catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  return {
    issuer,
    close: () => closed(server),
    /** As an administrator there enters where the provider may send people. */
    enter(redirect_uri: string | null): void {
      if (redirect_uri !== null) entered.add(redirect_uri)
    },
    /** Signed by its key, whatever it says. */
    signed: (claims: JWTPayload, header: object = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: KID, ...header })
        .sign(OWN.privateKey),
    /** As a logout there does it. */
    async logOut(sub: string, sid?: string): Promise<void> {
      const client = await provider.Client.find(CLIENT.client_id)
      await client?.backchannelLogout(sub, sid)
    },
  }
}

export const KID = 'the key of the provider'
const OWN = generateKeyPairSync('rsa', { modulusLength: 2048 })
const OWN_JWK = { ...OWN.privateKey.export({ format: 'jwk' }), kid: KID, use: 'sig', alg: 'RS256' }

function lieAt(url: string | undefined, { keys, id_token }: Lies = {}): object | undefined {
  if (url === '/jwks') return keys
  return url === '/token' && id_token !== undefined
    ? { access_token: 'of no use', token_type: 'Bearer', id_token }
    : undefined
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

function configurationOf({ people, client = {}, fetch: fetched }: Options) {
  return {
    clients: [
      {
        ...CLIENT,
        redirect_uris: ['https://kontor.example/in-place-of-those-that-are-entered'],
        token_endpoint_auth_method: 'client_secret_basic',
        ...client,
      },
    ],
    claims: {
      email: ['email', 'email_verified'],
      groups: ['groups', 'realm_access'],
      openid: ['sub', 'auth_time', 'sid'],
      profile: ['name'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    conformIdTokenClaims: false,
    jwks: { keys: [OWN_JWK] },
    cookies: { keys: ['a key for tests alone'] },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
    },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
    ...(fetched === undefined ? {} : { fetch: fetched }),
    loadExistingGrant: grantEverything,
  }
}

type Context = {
  oidc: {
    session: { accountId: string }
    client: { clientId: string }
    provider: OidcProvider
  }
}

/** Nobody is asked whether Kontor may know who they are: the company has said so. */
async function grantEverything({ oidc }: Context) {
  const of = { accountId: oidc.session.accountId, clientId: oidc.client.clientId }
  const grant = new oidc.provider.Grant(of)
  grant.addOIDCScope('openid email profile groups')
  await grant.save()
  return grant
}

async function showLogin(
  provider: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    await provider.interactionDetails(request, response)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      '<!doctype html><html lang="en"><title>Provider</title><form method="post">' +
        '<label>Account <input name="account"></label><button>Sign in</button></form></html>',
    )
    return
  }
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const account = new URLSearchParams(Buffer.concat(parts).toString()).get('account') ?? ''
  const result =
    account === ''
      ? { error: 'access_denied', error_description: 'nobody was named' }
      : { login: { accountId: account } }
  await provider.interactionFinished(request, response, result)
}

/** A browser, as far as a provider needs one. Answers the query with which it is sent back. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>()

  /** `account`: what is typed where the provider asks. */
  async signIn(address: string, account: string): Promise<string> {
    let answer = await this.#ask(address)
    for (let step = 0; step < 10; step += 1) {
      const { status, location, url } = answer
      if (status === 200) answer = await this.#ask(url, new URLSearchParams({ account }))
      else if (location === undefined) throw new Error(`${status} of ${url}: ${answer.text}`)
      else {
        const next = new URL(location, url)
        if (next.pathname.startsWith('/signed-in/')) return next.search.slice(1)
        answer = await this.#ask(next.href)
      }
    }
    throw new Error('the provider does not end')
  }

  async #ask(url: string, body?: URLSearchParams) {
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    for (const cookie of reply.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s)
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const location = reply.headers.get('location') ?? undefined
    return { status: reply.status, location, url, text: await reply.text() }
  }
}
