/**
 * The key that signs heads, Ed25519, in a file of its own outside the database. The file may also
 * name former keys, as public keys behind the private one: their heads may come before ours.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { link } from 'node:fs/promises'
import { createFile, readClosed, replaceFile } from '../store/folders.ts'

export type HeadKey = {
  /** As heads name it. */
  publicKey: string
  /** Its own and former ones. */
  known: ReadonlySet<string>
  /** In base64. */
  sign(text: string): string
}

const PEM = /-----BEGIN (PUBLIC|PRIVATE) KEY-----[^-]+-----END \1 KEY-----/g
const FINGERPRINT = 16

/** Makes the file where there is none. */
export async function openKey(path: string): Promise<HeadKey> {
  const known = await readKeyFile(path)
  if (known !== undefined) return known
  await createFile(path, newKeyFile([]))
  const made = await readKeyFile(path)
  if (made === undefined) throw new Error(`${path} was removed`)
  return made
}

/** Another key takes the place of the one in the file, which is kept beside it. */
export async function replaceKey(
  path: string,
  former: readonly string[],
  now: number,
): Promise<HeadKey> {
  const before = await readKeyFile(path)
  const known = new Set([...(before?.known ?? []), ...former])
  if (before !== undefined) await link(path, `${path}.until-${now}`)
  await replaceFile(path, newKeyFile([...known]))
  return openKey(path)
}

function newKeyFile(former: readonly string[]): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return pem + former.map(pemOf).join('')
}

/** Undefined where there is no file. */
export async function readKeyFile(path: string): Promise<HeadKey | undefined> {
  const text = await readClosed(path)
  if (text === undefined) return undefined
  const keys = [...text.matchAll(PEM)].map(([pem, kind]) => ({ pem, kind }))
  const own = keys.filter(({ kind }) => kind === 'PRIVATE')
  const [first] = own
  if (first === undefined || own.length > 1)
    throw new Error(`${path} must hold one private key, and holds ${own.length}`)
  const privateKey = createPrivateKey(first.pem)
  const publicKey = textOf(createPublicKey(privateKey))
  return {
    publicKey,
    known: new Set([publicKey, ...publicKeysIn(text)]),
    sign: (signed) => sign(null, Buffer.from(signed), privateKey).toString('base64'),
  }
}

/** The public keys in a text of PEM blocks, also those of private keys. */
export const publicKeysIn = (text: string): string[] =>
  [...text.matchAll(PEM)].map(([pem]) => textOf(createPublicKey(pem)))

function textOf(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`heads are signed with Ed25519, not with ${key.asymmetricKeyType}`)
  return key.export({ type: 'spki', format: 'der' }).toString('base64')
}

const keyOf = (publicKey: string): KeyObject =>
  createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })

export const pemOf = (publicKey: string): string =>
  keyOf(publicKey).export({ type: 'spki', format: 'pem' }).toString()

/** By what people compare keys. */
export const fingerprintOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, FINGERPRINT)

export function isSignedBy(publicKey: string, signed: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(signed), keyOf(publicKey), Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
