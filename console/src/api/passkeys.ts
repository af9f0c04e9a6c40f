/** Passkeys, by the browser's own methods: https://www.w3.org/TR/webauthn-3/. */
import type { components } from '@kontor/client'
import { t } from '../language/index.ts'

type Schemas = components['schemas']
export type AskedOptions = Schemas['PasskeyRequestOptions']
export type PasskeyProof = Schemas['PasskeyProof']

export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** A browser does not tell why: nobody touched the device, or it has none of these. */
const isRefusal = (error: unknown): boolean =>
  error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name)

async function asked(work: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await work()
    if (credential instanceof PublicKeyCredential) return credential
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Error(t('This device is one of your passkeys already.'), { cause: error })
    if (!isRefusal(error)) throw error
  }
  throw new Error(t('Your browser has shown no passkey. Try again.'))
}

export async function makePasskey(
  options: Schemas['PasskeyCreationOptions'],
): Promise<Schemas['NewCredential']> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await asked(() => navigator.credentials.create({ publicKey }))
  const { id, response } = credential.toJSON() as Schemas['NewCredential']
  const { clientDataJSON, attestationObject, transports = [] } = response
  return { id, response: { clientDataJSON, attestationObject, transports } }
}

export async function showPasskey(options: AskedOptions): Promise<PasskeyProof> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await asked(() => navigator.credentials.get({ publicKey }))
  const { id, response } = credential.toJSON() as PasskeyProof
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, response: { clientDataJSON, authenticatorData, signature } }
}
