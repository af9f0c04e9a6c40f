/**
 * What the system says of a connection that failed, in words for people. Only its own codes and the
 * name of the host are taken: the rest of such a text may quote what was sent.
 */
const HOST = /\b(?:ENOTFOUND|EAI_AGAIN) ([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/i

const WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [/\b(EHOSTUNREACH|ENETUNREACH)\b/, 'its network cannot be reached'],
  [/\b(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)\b|Connect Timeout/, 'it took no connection in time'],
  [/\bCERT_HAS_EXPIRED\b|certificate has expired/, 'its certificate has expired'],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)|self-signed certificate|unable to (verify|get)/,
    'its certificate is signed by nobody whom this machine trusts',
  ],
  [/ERR_TLS_CERT_ALTNAME_INVALID|altnames/, 'its certificate is that of another host'],
  [/ERR_SSL|\bEPROTO\b/, 'it does not speak TLS there'],
]

/** Undefined where the text has no code of the system. */
export function wireFaultIn(text: string): string | undefined {
  const [, host] = HOST.exec(text) ?? []
  if (host !== undefined) return `the host ${host} is not known`
  return WORDS.find(([code]) => code.test(text))?.[1]
}
