/** For tests of passkeys: an authenticator with a browser around it. */
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { TestServer } from '../http/testing.ts'
import { PASSWORD } from './access.testing.ts'
import type {
  CreationOptions,
  NewCredential,
  PasskeyProof,
  RequestOptions,
} from './passkeys.schema.ts'

type Call = TestServer['call']

const ORIGIN = 'https://kontor.example'
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const WITH_KEY = 0x40

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const base64 = (data: Buffer): string => data.toString('base64url')

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

/** The text of a CBOR map's field; all are shorter than 24. */
const cborText = (text: string): Buffer => Buffer.from([0x60 + text.length, ...Buffer.from(text)])

export class SoftAuthenticator {
  readonly id = base64(randomBytes(32))
  counter = 0
  origin = ORIGIN
  rp_id: string | undefined
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  /** EC2, ES256, P-256, x and y: RFC 9053, 2.1 and 7.1.1. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 0x20]),
      Buffer.from(y, 'base64url'),
    ])
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }))
  }

  create({ challenge, rp }: Pick<CreationOptions, 'challenge' | 'rp'>): NewCredential {
    const id = Buffer.from(this.id, 'base64url')
    const data = Buffer.concat([
      sha256(this.rp_id ?? rp.id),
      Buffer.from([USER_PRESENT | USER_VERIFIED | WITH_KEY]),
      u32(this.counter),
      Buffer.alloc(16),
      u16(id.length),
      id,
      this.#coseKey(),
    ])
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      Buffer.from([0x59]),
      u16(data.length),
      data,
    ])
    return {
      id: this.id,
      response: {
        clientDataJSON: base64(this.#clientData('webauthn.create', challenge)),
        attestationObject: base64(attestation),
        transports: ['internal'],
      },
    }
  }

  get({ challenge, rpId }: Pick<RequestOptions, 'challenge' | 'rpId'>): PasskeyProof {
    this.counter += 1
    const data = Buffer.concat([
      sha256(this.rp_id ?? rpId),
      Buffer.from([USER_PRESENT | USER_VERIFIED]),
      u32(this.counter),
    ])
    const client = this.#clientData('webauthn.get', challenge)
    const signed = Buffer.concat([data, sha256(client)])
    return {
      id: this.id,
      response: {
        clientDataJSON: base64(client),
        authenticatorData: base64(data),
        signature: base64(sign('sha256', signed, this.#keys.privateKey)),
      },
    }
  }
}

export type Begun = { id: string; options: CreationOptions }

export async function beginPasskey(call: Call, token: string, label?: string): Promise<Begun> {
  const begun = await call<Begun>('POST', '/auth/factors/passkeys', {
    body: { password: PASSWORD, ...(label === undefined ? {} : { label }) },
    token,
  })
  assert.equal(begun.status, 200, begun.text)
  return begun.data
}

export type Kept = { factor: { id: string }; recovery_codes: string[] | null }

/** Sets up a passkey for the owner of the token. */
export async function enrolPasskey(
  call: Call,
  token: string,
  device = new SoftAuthenticator(),
): Promise<{ id: string; device: SoftAuthenticator; recovery_codes: string[] }> {
  const { id, options } = await beginPasskey(call, token)
  const kept = await call<Kept>('POST', `/auth/factors/${id}/passkey`, {
    body: { credential: device.create(options) },
    token,
  })
  assert.equal(kept.status, 200, kept.text)
  return { id, device, recovery_codes: kept.data.recovery_codes ?? [] }
}
