/** Tokens that must open nothing, made of a real one as a forger makes them. */
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { newId } from '../../../../server/src/core/ids.ts'
import { openTokens } from '../../../../server/src/access/tokens.ts'
import { manualClock } from '../../../../server/src/core/clock.ts'
import { sql } from '../../../../server/src/store/sql.ts'
import type { Person, Target } from '../target.ts'

type Claims = Record<string, unknown>
type Header = Record<string, unknown>

/** By what is wrong with it: the whole header that is sent; undefined sends none. */
type Forgeries = ReadonlyMap<string, string | undefined>

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const decode = (text = ''): Claims =>
  JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims

const TWO_HOURS_MILLISECONDS = 7_200_000

/** Signed with our own key, and still nothing that opens. */
async function signedByUs(target: Target, claims: Claims): Promise<[string, string][]> {
  const { db, home, other, keyFile: key_file } = target
  const identity = {
    user_id: String(claims['sub']),
    session_id: String(claims['sid']),
    workspace: home.workspace,
    email: '',
    name: null,
    roles: [],
  }
  const now = Date.now()
  const [then, today] = [
    await openTokens(db, manualClock(now - TWO_HOURS_MILLISECONDS), { key_file }),
    await openTokens(db, manualClock(now), { key_file }),
  ]
  const signed = (more: Partial<typeof identity>) =>
    today.sign({ ...identity, ...more }).access_token
  return [
    ['expired', then.sign(identity).access_token],
    ['of no session', signed({ session_id: newId() })],
    ['of a session that is no id', signed({ session_id: 'x' })],
    ['the id token', today.sign(identity).id_token],
    ['an id token of another tenant', today.sign({ ...identity, ...other }).id_token],
  ]
}

/** In the shape of a JWT, with anything in its parts. */
function jwt(header: Header, claims: Claims, signature: (text: string) => Buffer): string {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${signature(text).toString('base64url')}`
}

async function ourPublicKey({ db }: Target): Promise<string> {
  const [key] = await db.query<{ public_key: string }>(sql`
    select public_key
    from signing_keys
    order by id desc
    limit 1`)
  return key?.public_key ?? ''
}

/** Signed by a forger, whose key the token names in every way that some libraries obey. */
function signedByForger(header: Header, claims: Claims, publicKey: string): [string, string][] {
  const own = generateKeyPairSync('ed25519')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const byOwn = (text: string) => sign(null, Buffer.from(text), own.privateKey)
  const hmac = (key: string | Buffer) => (text: string) =>
    createHmac('sha256', key).update(text).digest()
  const raw = createPublicKey(publicKey).export({ type: 'spki', format: 'der' }).subarray(-32)
  const jwk = own.publicKey.export({ format: 'jwk' })
  const hs256 = { ...header, alg: 'HS256' }
  return [
    ['with alg none', `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`],
    ['with alg None and a signature', jwt({ ...header, alg: 'None' }, claims, byOwn)],
    ['HS256 with our public key as PEM', jwt(hs256, claims, hmac(publicKey))],
    ['HS256 with our public key as bytes', jwt(hs256, claims, hmac(raw))],
    ['HS256 with an empty key', jwt(hs256, claims, hmac(''))],
    ['signed by another key under our key id', jwt(header, claims, byOwn)],
    ['another key id', jwt({ ...header, kid: newId() }, claims, byOwn)],
    ['a key id that is a path', jwt({ ...header, kid: '../../dev/null' }, claims, byOwn)],
    ['a key id that is SQL', jwt({ ...header, kid: "' or 1=1 --" }, claims, byOwn)],
    ['a key in its head (jwk)', jwt({ ...header, jwk }, claims, byOwn)],
    ['a key elsewhere (jku)', jwt({ ...header, jku: 'http://127.0.0.1:9/' }, claims, byOwn)],
    ['no key id', jwt({ alg: 'EdDSA', typ: 'JWT' }, claims, byOwn)],
    [
      'RS256',
      jwt({ ...header, alg: 'RS256' }, claims, (text) =>
        sign('sha256', Buffer.from(text), rsa.privateKey),
      ),
    ],
    ['a signature of zeros', jwt(header, claims, () => Buffer.alloc(64))],
  ]
}

export async function forgeriesOf(target: Target, person: Person): Promise<Forgeries> {
  const { access_token: good, refresh_token } = person
  const [head = '', body = '', signature = ''] = good.split('.')
  const [header, claims] = [decode(head) as Header, decode(body)]
  const changed = (more: Claims) => `${head}.${encode({ ...claims, ...more })}.${signature}`
  const tokens: [string, string][] = [
    ...signedByForger(header, claims, await ourPublicKey(target)),
    ...(await signedByUs(target, claims)),
    ['with a later end', changed({ exp: 9_999_999_999 })],
    ['of another user', changed({ sub: target.home.people.ADMIN.user_id })],
    ['of another tenant', changed({ workspace: target.other.workspace })],
    ['with another audience', changed({ aud: 'kontor-console' })],
    ['without its signature', `${head}.${body}.`],
    ['without its last letter', good.slice(0, -2)],
    ['with a letter more', `${good}x`],
    ['the refresh token', refresh_token],
    ['four parts', `${good}.${signature}`],
    ['no token', 'null'],
    ['9,000 letters', 'x'.repeat(9_000)],
    ['JSON nested 5,000 deep', `${encode('['.repeat(5_000))}.${body}.${signature}`],
  ]
  return new Map<string, string | undefined>([
    ...tokens.map(([what, token]) => [what, `Bearer ${token}`] as const),
    ['none at all', undefined],
    ['Basic', `Basic ${Buffer.from(`${person.email}:x`).toString('base64')}`],
    ['without Bearer', good],
    ['two of them', `Bearer ${good}, Bearer ${good}`],
    ['with a tab', `Bearer\t${good}`],
  ])
}
