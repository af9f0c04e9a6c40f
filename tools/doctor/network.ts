/** How the service is reached, and whom it calls. */
import { lookup } from 'node:dns/promises'
import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { mailFault } from '../../server/src/events/index.ts'
import { isLoopback } from '../../server/src/core/networks.ts'
import { openCertificate } from '../../server/src/http/index.ts'
import { bad, good, messageOf, spanOf, warning } from './findings.ts'
import type { Check, Finding } from './findings.ts'

const DAY = 86_400_000
const RENEW_MILLISECONDS = 14 * DAY
const READ_BY_OTHERS = 0o077
/** Where clouds show the credentials of a machine to whoever asks from it. */
const METADATA = '169.254.169.254'
/** From all over the world: who counts both as proxies trusts everybody. */
const ANYBODY: readonly string[] = ['8.8.8.8', '193.0.14.129']

export const certificate: Check = async ({ settings }) => {
  const tls = settings?.door?.tls ?? settings?.place?.tls
  if (tls === undefined) return []
  const silent = { info: () => undefined, error: () => undefined }
  try {
    const opened = await openCertificate(tls, silent)
    const left = opened?.left_ms ?? 0
    opened?.close()
    const { mode } = await stat(tls.key)
    const remedy = 'renew it; Kontor reads the files every ten seconds'
    if (left <= 0) return bad('certificate', 'the certificate has expired', remedy)
    if ((mode & READ_BY_OTHERS) !== 0)
      return bad('certificate', `others can read ${tls.key}`, `chmod 600 ${tls.key}`)
    const says = `the certificate is valid for ${spanOf(left)}`
    return left < RENEW_MILLISECONDS
      ? warning('certificate', says, remedy)
      : good('certificate', says)
  } catch (error) {
    return bad('certificate', messageOf(error), 'put a right pair there (docs/operations.md, TLS)')
  }
}

export const door: Check = async ({ settings }) => {
  const found = settings?.door
  if (found === undefined) return []
  const { host, plain, isProxy, names, tls } = found
  const findings: Finding[] = []
  if (plain && !isLoopback(host))
    findings.push(
      warning(
        'door',
        'passwords go over plain HTTP: KONTOR_PLAIN_HTTP is on',
        'use a certificate or a proxy (docs/operations.md, TLS)',
      ),
    )
  if (isProxy !== undefined && ANYBODY.every((address) => isProxy(address)))
    findings.push(
      bad(
        'door',
        'KONTOR_TRUSTED_PROXIES names everybody: anybody can say where a request comes from',
        'name the addresses of your proxies alone',
      ),
    )
  if (names.length === 0 && (tls !== undefined || isProxy !== undefined || !isLoopback(host)))
    findings.push(
      bad(
        'door',
        'KONTOR_HOSTS is empty: requests that call the service by a name get 421',
        'set it to the names that people type into the browser',
      ),
    )
  if (findings.length > 0) return findings
  return good('door', `listens at ${host}${names.length > 0 ? `, called ${names.join(', ')}` : ''}`)
}

export const hosts: Check = async ({ settings }) => {
  const names = (settings?.door?.names ?? []).filter((name) => isIP(name) === 0)
  const unknown = await Promise.all(
    names.map((name) =>
      lookup(name).then(
        () => [],
        () => [name],
      ),
    ),
  )
  return unknown
    .flat()
    .map((name) =>
      warning(
        'hosts',
        `${name} of KONTOR_HOSTS has no address here`,
        'see that the name is right, and that those who use it can look it up',
      ),
    )
}

export const mail: Check = async ({ settings }) => {
  if (settings === undefined) return []
  const { mail: server } = settings.app
  if (server === undefined)
    return warning('mail', 'no mail is written', 'set KONTOR_SMTP_URL, if customers get mail')
  const fault = await mailFault(server)
  return fault === undefined
    ? good('mail', 'the mail server answers and lets us in')
    : bad('mail', `the mail server does not take mail: ${fault}`, 'mend it, or KONTOR_SMTP_URL')
}

export const webhooks: Check = async ({ settings }) => {
  if (settings === undefined) return []
  const { isAllowed, plain } = settings.app.targets
  const inside = 'name only the networks of your receivers in KONTOR_WEBHOOK_NETWORKS'
  if (isAllowed(METADATA))
    return bad('webhooks', `webhooks may call ${METADATA}, which gives out credentials`, inside)
  if (isAllowed('127.0.0.1') || isAllowed('::1'))
    return warning('webhooks', 'webhooks may call programs of this machine', inside)
  return plain
    ? warning('webhooks', 'webhooks may go over plain HTTP', 'unset KONTOR_WEBHOOK_PLAIN')
    : good('webhooks', 'webhooks go to public addresses, and to those that you allow')
}
