/** What the programs that we start learn of our environment. */

/** What a program of Node needs anywhere. */
const COMMON: readonly string[] = [
  'PATH',
  'HOME',
  'TZ',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'NODE_ENV',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
]

/**
 * These alone, and those that are named: so no secret is handed on because nobody thought of its
 * name.
 */
export function inherited(own: readonly string[] = []): NodeJS.ProcessEnv {
  const names = [...COMMON, ...own].filter((name) => process.env[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}
