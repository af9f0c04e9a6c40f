/** The page at `/`: what this is, how it is, and where to go. One file, no script, nothing from elsewhere. */

export type About = {
  version: string
  /** What the database calls itself, null when it does not answer. */
  database: string | null
  /** The venues are simulated. */
  sandbox: boolean
}

export type FirstPage = About & {
  /** What keeps the service from being ready, in words. */
  missing: string | undefined
  /** As the reader reached us, e.g. http://localhost:4000 */
  origin: string
  now: number
}

const LINKS: readonly [href: string, name: string, says: string][] = [
  ['/api/docs/', 'API reference', 'every operation, to read and to try'],
  ['/api/openapi.json', 'OpenAPI document', 'the same for programs'],
  ['/healthz', 'Liveness', 'the process answers'],
  ['/readyz', 'Readiness', 'it can serve now'],
  ['/metrics', 'Metrics', 'for Prometheus'],
]

const STYLE = `
:root { color-scheme: light dark; --ink: #1a2129; --soft: #56616d; --line: #d9dfe5; --ground: #f4f6f8; --sheet: #fff; --link: #0b57a4; --good: #17693a; --bad: #a32020; --note: #7a5200 }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebef; --soft: #a3adb8; --line: #333c46; --ground: #12161b; --sheet: #1a2027; --link: #7fb8f5; --good: #6fd09a; --bad: #ff9a94; --note: #e8bf6a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
h2 { margin: 0 0 .75rem; font-size: 1.05rem }
p { margin: .25rem 0 0; color: var(--soft) }
section { margin-top: 1.5rem; padding: 1.25rem 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .4rem 1rem; margin: 0 }
dt { color: var(--soft) } dd { margin: 0 }
ul { margin: 0; padding: 0; list-style: none } li + li { margin-top: .4rem } li span { color: var(--soft) }
a { color: var(--link) } a:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
pre { margin: .75rem 0 0; padding: .9rem 1rem; overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace }
.good { color: var(--good) } .bad { color: var(--bad) } .note { color: var(--note) } strong { font-weight: 600 }
footer { margin-top: 1.5rem; font-size: .875rem; color: var(--soft) }
`

export function firstPage({ version, database, sandbox, missing, origin, now }: FirstPage): string {
  const login = `TOKEN=$(curl -s ${origin}/api/auth/login \\
  -H 'content-type: application/json' \\
  -d '{"email": "admin@kontor.local", "password": "…"}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl ${origin}/api/accounts -H "authorization: Bearer $TOKEN"`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kontor</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<h1>Kontor</h1>
<p>Trading and treasury back office for banks, brokers and crypto desks.</p>
</header>
<section aria-labelledby="state">
<h2 id="state">State</h2>
<dl>
<dt>Service</dt><dd>${missing === undefined ? '<strong class="good">✓ ready</strong>' : `<strong class="bad">✗ not ready</strong>: ${escaped(missing)}`}</dd>
<dt>Version</dt><dd>${escaped(version)}</dd>
<dt>Database</dt><dd>${database === null ? '<strong class="bad">✗ does not answer</strong>' : escaped(database)}</dd>
<dt>Venues</dt><dd>${sandbox ? '<strong class="note">sandbox</strong>: exchange, vault, bank and chain are simulated, no real money moves' : 'as configured, real'}</dd>
</dl>
</section>
<section aria-labelledby="go">
<h2 id="go">Where to go</h2>
<ul>
${LINKS.map(([href, name, says]) => `<li><a href="${href}">${name}</a> <span>${says}</span></li>`).join('\n')}
</ul>
</section>
<section aria-labelledby="login">
<h2 id="login">Log in</h2>
<p>With the e-mail address and the password that the first start printed; the access token is good for an hour.</p>
<pre tabindex="0" role="region" aria-labelledby="login"><code>${escaped(login)}</code></pre>
</section>
<footer>As of <time datetime="${new Date(now).toISOString()}">${new Date(now).toISOString().replace('T', ' ').slice(0, 19)} UTC</time></footer>
</main>
</body>
</html>
`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** The address in the example, when the reader's own is one that a shell takes as it is. */
export function originOf(protocol: string, host: string | undefined): string {
  return host !== undefined && /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/.test(host) ? `${protocol}://${host}` : 'http://localhost:4000'
}
